// One selection, in the address: whoever has it sees the same view.

/** What is chosen: its letter in the address, and what it is where the address does not name it. */
const KEYS = {
  experiment: ["e", ""], // or model
  stream: ["x", ""], // of an encoder-decoder: encoder, decoder, cross
  text: ["t", null], // by its id; the first where it is not named
  query: ["q", null], // token that reads; the one that is read by the model's head where it is not named
  key: ["k", null], // token that is read
  layer: ["l", 0], // 0 for the last
  head: ["h", 1],
  state: ["s", ""], // "both" for two; the last where it is not named
  cells: ["c", "attention"], // what the cells of the heads show
  pairs: ["j", null], // that are marked (`pairs.js`); those of the text where it is not named
  view: ["v", "map"], // middle view: map, features, lines
  mapMethod: ["m", "pca"], // of the map of queries and keys
  mapColours: ["u", "kind"],
  point: ["p", 0], // of the feature maps
  featureMethod: ["w", "umap"],
  featureColours: ["a", "position"],
  scale: ["g", "own"], // of the rows: own, shared, uniform
  compared: ["d", ""], // two rows, "rollout~flow"
  order: ["o", ""], // column that the rows are sorted by
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
  map: ({map}) => Boolean(map),
  features: ({features}) => Boolean(features),
  lines: () => true,
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

  #choose(key, there, otherwise) {
    const value = this.wanted[key];
    if (!there && value !== USUAL[key]) this.unknown[key] = value;
    return (this.selection[key] = there ? value : otherwise);
  }
}

/** Choose of an index; what only the files tell, such as the number of tokens, is still as wanted. */
function chosenOf(wanted, index) {
  const choice = new Choice(wanted);
  const experiment = index.find(({name}) => name === choice.among("experiment", index.map(({name}) => name)));
  const {states} = experiment;
  const stream = experiment.streams.find(({name}) => name === choice.among("stream", experiment.streams.map(({name}) => name)));
  choice.among("text", experiment.texts.map(({id}) => id));
  choice.among("state", states.length > 1 ? [...states, "both"] : states, states.at(-1));
  choice.within("layer", 1, stream.layers, stream.layers);
  choice.within("head", 1, stream.heads, stream.heads);
  choice.among("scale", ["own", "shared", "uniform"]);
  choice.among("view", Object.keys(VIEWS).filter((view) => VIEWS[view](stream)), "lines");
  if ("text" in choice.unknown) choice.wanted = {...wanted, query: USUAL.query, key: USUAL.key, pairs: USUAL.pairs};
  return {choice, experiment, stream};
}
