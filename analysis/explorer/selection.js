// One selection, in the address: whoever has it sees the same view. What is not named in the address
// is as `DEFAULTS` has it.

const DEFAULTS = {
  e: "", // experiment, or model
  x: "", // stream of an encoder-decoder: encoder, decoder, cross
  t: 0, // text, by its id
  q: 0, // token that reads, its query
  k: null, // token that is read, its key
  l: 0, // layer; 0 for the last
  h: 1, // head
  s: "", // state, or "both"
  c: "attention", // what the cells of the heads show
  v: "map", // middle view: map, features, lines
  m: "pca", // method of the map of queries and keys
  u: "kind", // its colours
  p: 0, // feature point
  w: "umap", // method of the feature maps
  a: "position", // colours of the feature maps
  g: "own", // scale of the rows: own, shared, uniform
  d: "", // two rows to compare, "rollout~flow"
  o: "", // column that the rows are sorted by
};
const NUMBERS = new Set(["t", "q", "k", "l", "h", "p"]);

/**
 * Read a selection off the address. What it does not name is as in `DEFAULTS`; where it names no
 * experiment, as in `opening`.
 */
function selectionOf(address, opening) {
  const named = new URLSearchParams(address.replace(/^#/, ""));
  const selection = {...DEFAULTS, ...(named.has("e") ? {} : opening)};
  for (const [key, value] of named) {
    if (!(key in DEFAULTS)) continue;
    selection[key] = NUMBERS.has(key) ? Number(value) : value;
    if (Number.isNaN(selection[key])) selection[key] = DEFAULTS[key];
  }
  return selection;
}

/** Write a selection as the address has it. */
function addressOf(selection) {
  const named = new URLSearchParams();
  for (const [key, usual] of Object.entries(DEFAULTS)) {
    const always = "etqlhs".includes(key);
    if (selection[key] !== null && (always || selection[key] !== usual)) named.set(key, selection[key]);
  }
  return `#${named}`;
}
