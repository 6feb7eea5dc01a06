// One selection, in the address: whoever has it sees the same view.

/** What is chosen: its letter in the address, and what it is where the address does not name it. */
const KEYS = {
  experiment: ["e", ""], // or model
  stream: ["x", ""], // of an encoder-decoder: encoder, decoder, cross
  text: ["t", null], // by its id; the first where it is not named
  query: ["q", null], // token that reads; with key of a telling view where it is not named
  key: ["k", null], // token that is read
  layer: ["l", null], // with head: of a telling view of the text where they are not named
  head: ["h", null],
  also: ["i", ""], // further heads, laid over the chosen one: "2.4~5.1"
  sides: ["f", ""], // of a pair of sentences, from which to which: "ab" from the first to the second
  state: ["s", ""], // "both" for two; the last where it is not named
  cells: ["c", "attention"], // what the cells of the heads show
  pairs: ["j", null], // that are marked (`pairs.js`); those of the text where it is not named
  cellState: ["b", "after"], // of two states, what cells show: before, after, change
  view: ["v", "map"], // middle view: matrix, lines, map, features
  large: ["z", ""], // what has all the room: heads, pictures, rows
  mapMethod: ["m", "pca"], // of the map of queries and keys
  mapColours: ["u", "kind"],
  point: ["p", null], // of the feature maps; the last where it is not named
  featureMethod: ["w", "umap"],
  featureColours: ["a", "position"],
  scale: ["g", "own"], // of the rows: own, shared, uniform
  compared: ["d", ""], // two rows, "rollout~flow"
  order: ["o", ""], // column that the rows are sorted by
  columns: ["n", ""], // of the rows, "head~rollout"; where none is named, those that there is room for
};
const USUAL = Object.fromEntries(Object.entries(KEYS).map(([key, [, usual]]) => [key, usual]));
const WHOLE = new Set(["text", "query", "key", "layer", "head", "point"]); // numbers from 0
const ALWAYS = new Set(["experiment", "text", "query", "layer", "head"]); // in an address

/** What letters name, by the names of `KEYS`; numbers that are none are left out. */
function named(letters) {
  const found = {};
  for (const [key, [letter]] of Object.entries(KEYS)) {
    const value = letters[letter];
    if (value === undefined || (WHOLE.has(key) && !/^\d+$/.test(value))) continue;
    found[key] = WHOLE.has(key) ? Number(value) : value;
  }
  return found;
}

/** Read a selection off the address; where it names no experiment, `opening` says what it does not. */
function selectionOf(address, opening) {
  const letters = Object.fromEntries(new URLSearchParams(address.replace(/^#/, "")));
  return {...USUAL, ...("e" in letters ? {} : opening), ...named(letters)};
}

/** Write a selection as the address has it. */
function addressOf(selection) {
  const letters = new URLSearchParams();
  for (const [key, [letter, usual]] of Object.entries(KEYS)) {
    const value = selection[key];
    if (value !== null && (ALWAYS.has(key) || value !== usual)) letters.set(letter, value);
  }
  return `#${letters}`;
}

/** Tell whether an address is a selection's, or leads to a place of the page. */
function isSelection(address) {
  const letters = new Set(Object.values(KEYS).map(([letter]) => letter));
  return [...new URLSearchParams(address.replace(/^#/, "")).keys()].some((one) => letters.has(one));
}

/** Middle views, and which streams have them. */
const VIEWS = {
  matrix: () => true,
  lines: () => true,
  map: ({map}) => Boolean(map),
  features: ({features}) => Boolean(features),
};

/** Of what is wanted, what there is: `selection`; and of what there is not, key -> value: `unknown`. */
class Choice {
  constructor(wanted) {
    this.wanted = wanted;
    this.selection = {...wanted};
    this.unknown = {};
  }

  /** Choose one of a list, or else another. */
  among(key, list, otherwise = list[0]) {
    return this.#choose(key, list.includes(this.wanted[key]), otherwise);
  }

  /** Choose a whole number from `least` to `most`, or else another. */
  within(key, least, most, otherwise) {
    const value = this.wanted[key];
    return this.#choose(key, value !== null && value >= least && value <= most, otherwise);
  }

  /** Choose a list, "one~other", of which a test has to know every name, or else none. */
  listed(key, known) {
    const names = this.wanted[key].split("~").filter(Boolean);
    return this.#choose(key, names.every(known), "");
  }

  #choose(key, there, otherwise) {
    const value = this.wanted[key];
    if (!there && value !== USUAL[key]) this.unknown[key] = value;
    return (this.selection[key] = there ? value : otherwise);
  }
}

/** Layer and head of a name such as "2.4", if a stream has it. */
function headOf(name, {layers, heads}) {
  const [layer, head] = /^\d+\.\d+$/.test(name) ? name.split(".").map(Number) : [];
  return layer >= 1 && layer <= layers && head >= 1 && head <= heads ? {layer, head} : null;
}

/** Choose of an index; what only the files tell, such as the number of tokens, is still as wanted. */
function chosenOf(wanted, index) {
  const choice = new Choice(wanted);
  const experiment = index.find(({name}) => name === choice.among("experiment", index.map(({name}) => name)));
  const {states} = experiment;
  const stream = experiment.streams.find(({name}) => name === choice.among("stream", experiment.streams.map(({name}) => name)));
  choice.among("text", experiment.texts.map(({id}) => id));
  choice.among("state", states.length > 1 ? [...states, "both"] : states, states.at(-1));
  choice.within("layer", 1, stream.layers, null);
  choice.within("head", 1, stream.heads, null);
  choice.among("cellState", ["before", "after", "change"], "after");
  choice.among("large", ["", "heads", "pictures", "rows"]);
  choice.among("scale", ["own", "shared", "uniform"]);
  choice.among("view", Object.keys(VIEWS).filter((view) => VIEWS[view](stream)), "lines");
  choice.listed("also", (name) => headOf(name, stream));
  if ("text" in choice.unknown) choice.wanted = {...wanted, query: USUAL.query, key: USUAL.key, pairs: USUAL.pairs};
  return {choice, experiment, stream};
}

const SIDES = ["aa", "ab", "ba", "bb"]; // of a pair of sentences: from the first (a) or second (b), and to

/** Tell of a query and a key whether they are of the chosen sentences; of others, all are. */
function betweenOf(sides, chosen) {
  if (!chosen) return () => true;
  const [from, to] = [...chosen].map((side) => sides[side === "a" ? 0 : 1]);
  const within = ([first, last], token) => token >= first && token <= last;
  return (query, key) => within(from, query) && within(to, key);
}
