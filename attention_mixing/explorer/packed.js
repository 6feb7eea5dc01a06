// Files of the explorer, and the arrays in them. A page that was opened from a disk can load scripts
// and nothing else, so a file is a script that puts its content under its name, or lies in the page.

/** A file that could not be loaded; its message is the address. */
class MissingFile extends Error {}

/** Loads files by their names, each once; one that could not be loaded is tried again. */
class Files {
  /** @param {string} root Directory of the scripts; empty where all files lie in the page. */
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
    if (inPage) return JSON.parse(inPage.textContent);
    const script = document.createElement("script");
    script.src = `${this.root}/${name}.js`;
    await new Promise((resolve, reject) => {
      script.onload = resolve;
      script.onerror = () => reject(new MissingFile(script.getAttribute("src")));
      document.head.append(script);
    });
    script.remove();
    const content = window.explorerFiles[name];
    delete window.explorerFiles[name];
    return content;
  }
}

const KEPT = 60; // unpacked arrays; one of 512 tokens takes a megabyte
const unpacked = new Map();

/**
 * Promise of an array that `packed.py` packed: `{shape, values}`, NaN where nothing is defined.
 * High bytes come first, then the low ones. Shades are the square roots of what they stand for.
 */
function unpack(packed) {
  if (!unpacked.has(packed)) unpacked.set(packed, inflate(packed));
  const promise = unpacked.get(packed);
  unpacked.delete(packed); // the latest come last, and the oldest go
  unpacked.set(packed, promise);
  if (unpacked.size > KEPT) unpacked.delete(unpacked.keys().next().value);
  return promise;
}

const FIRST_CHARACTER = 0x3400; // the others are 15 bits more

/** Bytes in base64, as they lie in a page, or in characters of 15 bits, as in a file of their own. */
function bytesOf(data) {
  if (typeof data === "string") return Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  const bytes = new Uint8Array(data.length);
  let bits = 0;
  let held = 0; // bits that are no byte yet
  let place = 0;
  for (let index = 0; index < data.characters.length; index++) {
    bits = (bits << 15) | (data.characters.charCodeAt(index) - FIRST_CHARACTER);
    for (held += 15; held >= 8; held -= 8) bytes[place++] = bits >> (held - 8);
    bits &= (1 << held) - 1;
  }
  return bytes;
}

async function inflate({shape, bytes, unit, zero = 0, data}) {
  const stream = new Blob([bytesOf(data)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer());
  const count = planes.length / bytes;
  if (bytes === 1) return {shape, values: Float32Array.from(planes, (shade) => (shade / 255) ** 2)};
  const values = new Float32Array(count);
  for (let place = 0; place < count; place++) {
    const whole = 256 * planes[place] + planes[count + place];
    values[place] = whole === 65535 ? NaN : (whole - zero) * unit;
  }
  return {shape, values};
}

/** Promise of an object in which every array is unpacked. */
async function unpackAll(content) {
  const entries = Object.entries(content);
  const arrays = await Promise.all(entries.map(([, packed]) => unpack(packed)));
  return Object.fromEntries(entries.map(([name], place) => [name, arrays[place]]));
}

/** The part of an array at the given indices of its first axes. */
function part({shape, values}, ...indices) {
  const size = shape.slice(indices.length).reduce((product, length) => product * length, 1);
  const place = indices.reduce((place, index, axis) => place * shape[axis] + index, 0);
  return values.subarray(place * size, (place + 1) * size);
}
