// Pairs of tokens that a reader marks, "this one should read that one", and which heads do.

const END = /^\d+(_\d+)*-\d+(_\d+)*$/; // of an address: places of queries, and of keys

/** Pairs as the address has them, "7-3.8_9-4": places that read, and that are read; null if they are none. */
function pairsOf(written) {
  if (!written) return [];
  const parts = written.split(".");
  if (!parts.every((one) => END.test(one))) return null;
  return parts.map((one) => one.split("-").map((end) => end.split("_").map(Number)));
}

function pairsWritten(pairs) {
  return pairs.map((ends) => ends.map((places) => places.join("_")).join("-")).join(".");
}

/** In which directions heads are measured, by the name of their number: as `rank_heads` has them. */
function waysOf(pairs, stream) {
  if (stream.name !== "cross") return {pairs, pairs_back: pairs.map(([queries, keys]) => [keys, queries])};
  const told = pairs.map(([queries, keys]) => [queries.filter(Boolean).map((query) => query - 1), keys]);
  return {pairs, pairs_before: told.filter(([queries]) => queries.length)};
}

const mean = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null);

/**
 * Weight on pairs beyond what the other queries give to the same keys, a mean over the pairs that have
 * both; null where none has. As `pair_weights` of `marked_pairs.py` has it.
 *
 * @param {function(number, number): number} weight Of a query and a key.
 * @param {function(number, number): boolean} sees
 */
function beyondChance(pairs, queries, weight, sees) {
  return mean(pairs.flatMap(([marked, keys]) => {
    const ofKeys = new Set(pairs.filter(([, others]) => others.some((key) => keys.includes(key))).flatMap(([same]) => same));
    const seeing = [...queries].filter((query) => keys.some((key) => sees(query, key)));
    const onto = (query) => keys.reduce((sum, key) => sum + weight(query, key), 0);
    const [own, chance] = [
      seeing.filter((query) => marked.includes(query)),
      seeing.filter((query) => !ofKeys.has(query)),
    ].map((chosen) => mean(chosen.map(onto)));
    return own === null || chance === null ? [] : [own - chance];
  }));
}

/** One weight, without unpacking those of the head. */
function weightIn({shape, unit, data}, query, key) {
  const place = query * shape[1] + key;
  return (256 * data[place] + data[shape[0] * shape[1] + place]) * unit;
}

/** The button that begins to mark, what is marked, and numbers of heads. */
class PairMarks {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.marking = false;
    this.open = null; // place of a query whose key is to come
    this.element = element("div", {className: "pair-marks controls"});
    this.begin = element("button", {type: "button", textContent: say("mark_pairs"), onclick: () => this.#turn()});
    this.begin.dataset.focus = "mark-pairs";
    this.hint = element("span", {className: "soft", role: "status"});
    this.list = element("span", {className: "controls"});
    this.clear = element("button", {type: "button", textContent: say("clear_pairs"), onclick: () => this.#mark([])});
    // Of a target the tokens that are read are another text's, which the bar does not show.
    this.sources = element("div", {className: "tokens", role: "group", ariaLabel: say("keys")});
    this.element.append(this.begin, this.list, this.clear, this.hint, this.sources);
    explorer.bar.element.addEventListener("keydown", (event) => event.key === "Escape" && this.marking && this.#turn());
  }

  #turn() {
    this.marking = !this.marking;
    this.open = null;
    this.draw(this.explorer.shown);
  }

  /** A token of the bar is pressed; tells whether that marked it. */
  press(place) {
    if (!this.marking) return false;
    const {stream} = this.explorer.shown;
    if (this.open === null || stream.name === "cross") {
      this.open = place;
      this.draw(this.explorer.shown);
    } else this.#close(place);
    return true;
  }

  /** The key of the open query is chosen. */
  #close(key) {
    const {text, marks} = this.explorer.shown;
    const query = this.open;
    this.open = null;
    if (!seesIn(text, query, key)) {
      this.draw(this.explorer.shown);
      this.hint.textContent = this.explorer.say("pair_hidden", this.#named([[query], [key]]));
      return;
    }
    const pair = [[query], [key]];
    const others = marks.filter((one) => pairsWritten([one]) !== pairsWritten([pair]));
    this.#mark([...others, pair]);
  }

  #mark(pairs) {
    const {cells} = this.explorer.selection;
    const shown = cells.startsWith("pairs");
    this.explorer.select({pairs: pairsWritten(pairs), cells: pairs.length ? (shown ? cells : "pairs") : shown ? USUAL.cells : cells});
  }

  /** Read what is marked, and its numbers of heads: name -> state -> [layer][head]. */
  async read(choice, text, ofText, stream, states) {
    const wanted = pairsOf(choice.wanted.pairs);
    const counts = [text.queries.tokens.length, text.sources];
    const there = wanted?.every((ends) => ends.every((places, end) => places.every((place) => place < counts[end])));
    const written = choice.among("pairs", there ? [choice.wanted.pairs] : [USUAL.pairs]) ?? text.pairs ?? "";
    const marks = pairsOf(written);
    if (!marks.length) return {marks, ofPairs: {}};
    const asked = [ofText, ...states, written].join(" ");
    if (this.asked !== asked) {
      this.ofPairs = await this.#numbers(marks, text, ofText, stream, states);
      this.asked = asked;
    }
    return {marks, ofPairs: this.ofPairs};
  }

  async #numbers(marks, text, ofText, stream, states) {
    const {files} = this.explorer;
    const numbers = {};
    const places = [...text.queries.tokens.keys()];
    for (const state of states) {
      const heads = Array.from({length: stream.layers * stream.heads}, (_, i) => [Math.floor(i / stream.heads), i % stream.heads]);
      const read = await Promise.all(heads.map(([layer, head]) => files.load(`${ofText}/head-${layer + 1}-${head + 1}-${state}`)));
      for (const [name, pairs] of Object.entries(waysOf(marks, stream))) {
        const found = heads.map(([layer], i) => beyondChance(
          pairs, places, (query, key) => weightIn(read[i].attention, query, key), (query, key) => seesIn(text, query, key, layer)));
        if (found.every((value) => value === null)) continue;
        numbers[name] ??= {};
        numbers[name][state] = Array.from({length: stream.layers}, (_, layer) => found.slice(layer * stream.heads, (layer + 1) * stream.heads));
      }
    }
    return numbers;
  }

  /** Tokens of a pair, in words. */
  #named([queries, keys]) {
    const {text} = this.explorer.shown;
    const written = (tokens, places) => places.map((place) => tokens[place]).join(" ");
    return {query: written(text.queries.tokens, queries), key: written(text.keys.tokens, keys)};
  }

  draw({text, stream, marks}) {
    if (this.text !== text) Object.assign(this, {text, open: null}); // a place of another text
    const {say, bar} = this.explorer;
    this.begin.ariaPressed = this.marking;
    this.clear.hidden = !marks.length;
    this.list.replaceChildren(...marks.map((pair, place) => {
      const button = element("button", {type: "button", textContent: say("marked_pair", this.#named(pair))});
      button.title = say("unmark_pair");
      button.dataset.focus = `pair-${place}`;
      button.onclick = () => this.#mark(marks.filter((one) => one !== pair));
      return button;
    }));
    const next = this.open === null ? say("mark_query") : say("mark_key", {query: text.queries.tokens[this.open]});
    this.hint.textContent = this.marking ? next : "";
    const [ofQueries, ofKeys] = [0, 1].map((end) => new Set(marks.flatMap((pair) => pair[end])));
    const both = stream.name !== "cross";
    [...bar.tokens.children].forEach((chip, place) => {
      chip.classList.toggle("marked", ofQueries.has(place) || (both && ofKeys.has(place)));
      chip.classList.toggle("open", place === this.open);
    });
    this.sources.hidden = both || !this.marking;
    if (this.sources.hidden) return;
    const buttons = text.keys.tokens.slice(0, text.sources).map((token, key) => {
      const choose = () => this.open !== null && this.#close(key);
      return tokenButton(this.explorer, {token, identity: key, focus: `source-${key}`, chosen: ofKeys.has(key), choose});
    });
    this.sources.replaceChildren(...buttons);
    roving(this.sources, buttons, 0);
  }
}

/** Whether a query may see a key, in a layer (from 0) or in some. */
function seesIn({visible}, query, key, layer) {
  if (!visible) return true;
  const {shape, values} = unpack(visible);
  const layers = layer === undefined ? [...Array(shape[0]).keys()] : [layer];
  return layers.some((one) => values[(one * shape[1] + query) * shape[2] + key] > 0);
}
