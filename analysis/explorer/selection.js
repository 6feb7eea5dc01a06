// One selection, in the address: whoever has it sees the same view.

/** What is chosen: its letter in the address, and what it is where the address does not name it. */
const KEYS = {
  experiment: ["e", ""], // or model
  stream: ["x", ""], // of an encoder-decoder: encoder, decoder, cross
  text: ["t", 0], // by its id
  query: ["q", 0], // token that reads
  key: ["k", null], // token that is read
  layer: ["l", 0], // 0 for the last
  head: ["h", 1],
  state: ["s", ""], // "both" for two; the last where it is not named
  cells: ["c", "attention"], // what the cells of the heads show
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
const ALWAYS = new Set(["experiment", "text", "query", "layer", "head", "state"]); // in an address

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

/**
 * The nearest selection that an index has, and the names in it that it does not have.
 *
 * What only the files tell, such as the number of tokens, is checked where they are read.
 */
function nearest(selection, index, opening) {
  const unknown = [];
  const among = (list, asked, otherwise) => {
    if (list.includes(asked)) return asked;
    if (asked !== "" && asked !== null) unknown.push(String(asked));
    return otherwise;
  };
  const names = index.map(({name}) => name);
  const name = among(names, selection.experiment, null);
  if (name === null) selection = {...USUAL, ...opening};
  const experiment = index.find((one) => one.name === (name ?? selection.experiment)) ?? index[0];
  const texts = experiment.texts.map(({id}) => id);
  const streams = experiment.streams.map((stream) => stream.name);
  const known = texts.includes(selection.text) || selection.text === USUAL.text;
  const text = texts.includes(selection.text) || !known ? among(texts, selection.text, texts[0]) : texts[0];
  const stream = experiment.streams.find((one) => one.name === among(streams, selection.stream, streams[0]));
  const inside = (number, most) => among(Array.from({length: most}, (_, i) => i + 1), number, Math.min(most, Math.max(1, number)));
  const {states} = experiment;
  const found = {
    ...selection,
    experiment: experiment.name,
    text,
    stream: stream.name,
    layer: selection.layer ? inside(selection.layer, stream.layers) : stream.layers,
    head: inside(selection.head, stream.heads),
    state: among(states.length > 1 ? [...states, "both"] : states, selection.state, states.at(-1)),
    view: among(["map", "features", "lines"], selection.view, "map"),
    scale: among(["own", "shared", "uniform"], selection.scale, "own"),
  };
  if (!known) Object.assign(found, {query: 0, key: null}); // of a text that there is not
  return {selection: found, unknown};
}
