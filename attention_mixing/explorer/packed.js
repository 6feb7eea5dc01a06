// Files of the explorer, and the arrays in them, as `packed.py` writes them. A page that was opened
// from a disk can load scripts and nothing else, so a file is a script that puts text under its name,
// or lies in the page.

// The address of this script, which both languages of a site load from one place; of the page that
// it is part of, otherwise.
const LOADED_FROM = document.currentScript?.src || document.baseURI;

/** A file that could not be loaded; its message is the address. */
class MissingFile extends Error {}

/** Loads files by their names, each once; one that could not be loaded is tried again. */
class Files {
  /** @param {string} root Directory of the files, from this script; empty where they lie in the page. */
  constructor(root) {
    this.root = root;
    this.asked = new Map();
  }

  /** Promise of the content of a file. */
  load(name) {
    if (!this.asked.has(name)) {
      const content = this.#read(name);
      this.asked.set(name, content);
      content.catch(() => this.asked.delete(name));
    }
    return this.asked.get(name);
  }

  async #read(name) {
    const inPage = document.getElementById(`file:${name}`);
    if (inPage) return opened(Uint8Array.from(atob(inPage.textContent), (one) => one.charCodeAt(0)));
    const script = document.createElement("script");
    const address = new URL(`${this.root}/${name}.js`, LOADED_FROM).href;
    script.src = address;
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new MissingFile(address));
      document.head.append(script);
    });
    script.remove();
    const characters = window.explorerFiles[name];
    delete window.explorerFiles[name];
    return opened(bytesOf(characters));
  }
}

const FIRST_CHARACTER = 0x3400; // the others are 15 bits more

/** Bytes in characters of 15 bits each, after their number and a space. */
function bytesOf(characters) {
  const bytes = new Uint8Array(parseInt(characters));
  let bits = 0;
  let held = 0; // bits that are no byte yet
  let place = 0;
  for (let index = characters.indexOf(" ") + 1; index < characters.length; index++) {
    bits = (bits << 15) | (characters.charCodeAt(index) - FIRST_CHARACTER);
    for (held += 15; held >= 8; held -= 8) bytes[place++] = bits >> (held - 8);
    bits &= (1 << held) - 1;
  }
  return bytes;
}

/** Promise of the content of a file: JSON, a zero byte, and the arrays, where `data` of each begins. */
async function opened(deflated) {
  const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const end = bytes.indexOf(0);
  const content = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  giveBytes(content, bytes.subarray(end + 1));
  return content;
}

/** Replace the place of every array in a content by its bytes; arrays are in no list. */
function giveBytes(content, arrays) {
  for (const one of Object.values(content)) {
    if (one === null || typeof one !== "object" || Array.isArray(one)) continue;
    if ("data" in one) one.data = arrays.subarray(one.data);
    else giveBytes(one, arrays);
  }
}

const KEPT = 60; // unpacked arrays; one of 512 tokens takes a megabyte
const unpacked = new Map();

/**
 * An array `{shape, values}`, NaN where nothing is defined. High bytes come first, then the low ones.
 * Shades are the square roots of what they stand for.
 */
function unpack(packed) {
  const array = unpacked.get(packed) ?? {shape: packed.shape, values: valuesOf(packed)};
  unpacked.delete(packed); // the latest come last, and the oldest go
  unpacked.set(packed, array);
  if (unpacked.size > KEPT) unpacked.delete(unpacked.keys().next().value);
  return array;
}

function valuesOf({shape, bytes, unit, zero = 0, data}) {
  const count = shape.reduce((product, length) => product * length, 1);
  if (bytes === 1) return Float32Array.from(data.subarray(0, count), (shade) => (shade / 255) ** 2);
  const values = new Float32Array(count);
  for (let place = 0; place < count; place++) {
    const whole = 256 * data[place] + data[count + place];
    values[place] = whole === 65535 ? NaN : (whole - zero) * unit;
  }
  return values;
}

/** An object in which every array is unpacked. */
function unpackAll(content) {
  return Object.fromEntries(Object.entries(content).map(([name, packed]) => [name, unpack(packed)]));
}

/** Place of the largest of some values. */
function largestPlace(values) {
  return values.reduce((best, value, place) => (value > values[best] ? place : best), 0);
}

/** The part of an array at the given indices of its first axes. */
function part({shape, values}, ...indices) {
  const size = shape.slice(indices.length).reduce((product, length) => product * length, 1);
  const place = indices.reduce((place, index, axis) => place * shape[axis] + index, 0);
  return values.subarray(place * size, (place + 1) * size);
}
