// All heads of a model, layers as rows: a cell is a picture of the head, or one number.

const PICTURES = ["attention", "map"]; // what cells show where they show no number
const picturesOf = ({map}) => (map ? PICTURES : PICTURES.slice(0, 1)); // of a stream
const CELL = 40; // pixels of a map in a cell
const RANKED = 6; // heads that are listed by their number
/**
 * Numbers of heads: shares are written in percent. Colours of a number are the same in every view:
 * none for 0, and the strongest for `full`; half of it for a change.
 */
const OF_HEADS = {
  previous: {share: true, full: 1},
  self: {share: true, full: 1},
  next: {share: true, full: 1},
  to_second: {share: true, full: 1},
  to_first: {share: true, full: 1},
  first: {share: true, full: 1},
  sink: {share: true, full: 1},
  relative_entropy: {full: 1},
  distance: {full: 1}, // of two states
  loss_change: {signed: true, full: 1},
  family: {word: true},
  ...Object.fromEntries(["pairs", "pairs_back", "pairs_before"].map((name) => [name, {share: true, signed: true, full: 1}])),
};
const STRONGEST_TONE = 75; // percent, behind digits

/** The grid of heads, a list of those with the largest number, and what chooses the number. */
class HeadGrid {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("section", {className: "heads", ariaLabel: say("heads")});
    this.choice = element("select", {onchange: () => explorer.select({cells: this.choice.value})});
    this.states = element("span");
    this.grid = element("div", {className: "grid", role: "group", ariaLabel: say("heads_grid")});
    this.canvas = element("canvas", {ariaHidden: "true"});
    this.frame = element("div", {className: "grid-frame"});
    this.frame.append(this.grid);
    this.scale = element("p", {className: "scale"});
    this.ranked = element("h3");
    this.ranking = element("ol", {className: "ranking"});
    this.note = element("p", {className: "soft"});
    const controls = element("div", {className: "controls"});
    controls.append(labelled(say("cells"), this.choice), this.states);
    this.element.append(
      element("h2", {textContent: say("heads")}),
      controls,
      this.frame,
      this.scale,
      this.ranked,
      this.ranking,
      this.note,
      element("p", {className: "soft", textContent: say("about_overlay")}),
    );
    this.grid.addEventListener("keydown", (event) => this.#walk(event));
  }

  /** Arrow keys go from head to head. */
  #walk(event) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey || event.shiftKey) && event.target.dataset.head) {
      event.preventDefault();
      this.explorer.overlay(placeOf(event.target));
    }
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    const {layers, heads} = this.explorer.shown.stream;
    const {layer, head} = placeOf(event.target);
    const inside = (number, most) => Math.min(most, Math.max(1, number));
    const next = {layer: inside(layer + step[0], layers), head: inside(head + step[1], heads)};
    this.explorer.select(next);
    this.buttons[(next.layer - 1) * heads + next.head - 1].focus();
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    this.#offer(shown);
    const {layers, heads} = shown.stream;
    const numbers = PICTURES.includes(selection.cells) ? null : this.numbers(shown, selection.cells);
    this.grid.style.gridTemplateColumns = `1.4rem repeat(${heads}, minmax(var(--cell), 1fr))`;
    const size = `${layers}x${heads}`;
    if (this.size !== size) {
      this.size = size;
      this.#build(layers, heads);
    }
    this.#offerStates(shown, numbers);
    const over = new Map(shown.laidOver.slice(1).map((one, number) => [`${one.layer}.${one.head}`, number + 1]));
    for (const button of this.buttons) {
      const {layer, head} = placeOf(button);
      const value = numbers?.at(layer - 1, head - 1);
      const written = numbers ? numbers.write(value) : "";
      button.textContent = numbers ? numbers.short(value) : "";
      const name = say("head_name", {layer, head});
      const laid = over.get(`${layer}.${head}`);
      const label = numbers ? say("told", {name, value: written}) : name;
      button.title = button.ariaLabel = laid ? say("laid_over", {name: label}) : label;
      button.ariaPressed = layer === selection.layer && head === selection.head;
      button.classList.toggle("also", Boolean(laid));
      button.style.setProperty("--mark", laid ? this.explorer.overlayColour(laid) : "");
      button.style.background = numbers ? numbers.shade(value) : "";
    }
    stopAt(this.buttons, (selection.layer - 1) * heads + selection.head - 1);
    this.canvas.hidden = Boolean(numbers);
    this.scale.replaceChildren(...(numbers?.full ? this.#scaleOf(numbers) : []));
    if (numbers) this.note.textContent = numbers.about;
    else if (selection.cells === "map") this.#paintMaps(shown);
    else this.#paintAttention(shown);
    this.#rank(numbers);
    this.#showChosen();
  }

  /** Of two states, what cells show: the first, the second, or the change; nothing of one. */
  #offerStates(shown, numbers) {
    const {explorer} = this;
    const {say, selection} = explorer;
    const two = shown.states.length > 1 && (numbers?.states ?? shown.states).length > 1;
    const names = [["before", explorer.shortName(shown.states[0])], ["after", explorer.shortName(shown.states.at(-1))]];
    if (!numbers?.word && selection.cells !== "map") names.push(["change", say("change")]);
    this.states.replaceChildren(...(two ? [choices(say("cell_states"), names, selection.cellState, (cellState) => explorer.select({cellState}))] : []));
  }

  /** The chosen head is in sight where the grid scrolls. */
  #showChosen() {
    const {frame} = this;
    if (frame.scrollWidth <= frame.clientWidth && frame.scrollHeight <= frame.clientHeight) return;
    const chosen = this.buttons.find(({ariaPressed}) => ariaPressed === "true");
    const [box, cell] = [frame, chosen].map((one) => one.getBoundingClientRect());
    if (cell.left < box.left || cell.right > box.right) frame.scrollLeft += cell.left - box.left - box.width / 2;
    if (cell.top < box.top || cell.bottom > box.bottom) frame.scrollTop += cell.top - box.top - box.height / 2;
  }

  /** What colours stand for: a strip from nothing to the most, or from loss to gain. */
  #scaleOf({full, signed: isSigned, isShare}) {
    const strip = element("i", {ariaHidden: "true", className: isSigned ? "of-change" : ""});
    const ends = isSigned ? [-full, full] : [0, full];
    const [low, high] = ends.map((value) => element("span", {textContent: isShare ? `${signed(100 * value, 0)}%` : String(value).replace("-", "−")}));
    return [low, strip, high];
  }

  /** What cells can show: pictures, numbers in this text, and means over texts. */
  #offer(shown) {
    const {say, selection} = this.explorer;
    const counts = Object.entries(shown.overTexts ?? {}).map(([name, {texts}]) => [name, texts]);
    const offered = JSON.stringify([shown.stream.map, Object.keys(shown.inText), counts]);
    if (this.offered !== offered) {
      this.offered = offered;
      const group = (label, options) => {
        const made = element("optgroup", {label});
        made.append(...options);
        return made;
      };
      const pictures = picturesOf(shown.stream).map((name) => new Option(say(`cell_${name}`), name));
      const inText = Object.keys(shown.inText).map((name) => new Option(say(`cell_${name}`), name));
      this.choice.replaceChildren(...pictures, group(say("in_this_text"), inText));
      const means = counts.map(([name, count]) => new Option(say(OF_HEADS[name].word ? "judged_count" : "over_count", {name: say(`cell_${name}`), count}), `mean-${name}`));
      if (means.length) this.choice.append(group(say("over_texts"), means));
    }
    this.choice.value = selection.cells;
  }

  /** A number of every head: of the state that is shown, or its change between the two. */
  numbers(shown, cells) {
    const {say} = this.explorer;
    const name = cells.replace("mean-", "");
    const kind = OF_HEADS[name];
    const byState = cells === name ? shown.inText[name] : shown.overTexts[name].states;
    const known = shown.states.filter((state) => byState[state]);
    const choice = this.explorer.selection.cellState;
    const two = known.length > 1 && !kind.word && !byState.both && choice === "change";
    const valueOf = (state, layer, head) => byState[state]?.[layer]?.[head] ?? null;
    const at = (layer, head) => {
      if (byState.both) return valueOf("both", layer, head);
      const [before, after] = [valueOf(known[0], layer, head), valueOf(known.at(-1), layer, head)];
      if (!two) return choice === "before" ? before : after;
      return before === null || after === null ? null : after - before;
    };
    const {layers, heads} = shown.stream;
    const flat = Array.from({length: layers * heads}, (_, i) => at(Math.floor(i / heads), i % heads));
    const full = two ? kind.full / 2 : kind.full;
    const write = (value) => {
      if (value === null) return say("undefined");
      if (kind.word) return say(`family_${value}`);
      if (kind.share && two) return say("points", {change: ofHundred(value, true)});
      if (kind.share) return percent(value);
      return ((two || kind.signed) && value > 0 ? "+" : "") + signed(value, 3);
    };
    const short = (value) => {
      if (value === null) return "–";
      if (kind.word) return say(`family_short_${value}`);
      if (kind.share) return String(Math.round(100 * value)).replace("-", "−");
      return Math.abs(value) < 0.05 ? "0" : signed(value, 1).replace(/^(−?)0\./, "$1.");
    };
    const shade = (value) => {
      if (value === null) return "";
      if (kind.word) return `color-mix(in srgb, var(--family-${value.replace("+", "-")}, var(--rule)) 45%, transparent)`;
      return shaded(value < 0 ? "less-tone" : "more-tone", value, full, STRONGEST_TONE);
    };
    // A number that not every state has, such as what disabling a head does.
    const only = !byState.both && known.length < shown.states.length && Object.keys(byState).at(-1);
    const one = only && say("about_one_state", {state: this.explorer.stateName(only)});
    const unit = kind.share && say(two ? "about_points" : "about_percent");
    const about = [say(`about_${name}`), two && say("about_change"), one, unit].filter(Boolean).join(say("gap"));
    // What depends on a head most is where the loss rises; a change may be of either sign.
    const rank = (value) => (kind.signed && !two ? value : Math.abs(value));
    const measured = say(`cell_${name}`);
    const title = byState.both || known.length < 2 ? measured : two ? say("change_of", {name: measured}) : say("in_state", {name: measured, state: this.explorer.stateName(choice === "before" ? known[0] : known.at(-1))});
    const states = byState.both ? [] : known;
    return {flat, at, write, short, shade, about, title, states, full, word: kind.word, signed: two || kind.signed, isShare: kind.share, rank: kind.word ? null : rank};
  }

  #build(layers, heads) {
    const cells = [element("span")];
    for (let head = 1; head <= heads; head++) cells.push(element("span", {textContent: head}));
    this.buttons = [];
    for (let layer = 1; layer <= layers; layer++) {
      cells.push(element("span", {textContent: layer}));
      for (let head = 1; head <= heads; head++) {
        const choose = ({ctrlKey, metaKey, shiftKey}) => (ctrlKey || metaKey || shiftKey ? this.explorer.overlay({layer, head}) : this.explorer.select({layer, head}));
        const button = element("button", {type: "button", onclick: choose, ondblclick: () => this.explorer.select({large: "pictures"})});
        Object.assign(button.dataset, {layer, head});
        this.buttons.push(button);
        cells.push(button);
      }
    }
    this.grid.replaceChildren(this.canvas, ...cells);
  }

  /** Paint the attention of every head into one picture, which lies behind the buttons. */
  #paintAttention(shown) {
    const {say} = this.explorer;
    const {layers, heads} = shown.stream;
    const {cellState} = this.explorer.selection;
    const shownStates = {before: shown.states.slice(0, 1), after: shown.states.slice(-1), change: shown.states}[cellState];
    const maps = shownStates.map((state) => shown.thumbnails[state]);
    const [, , rows, columns] = maps[0].shape;
    const both = maps.length > 1;
    const pooled = rows < shown.text.queries.tokens.length || columns < shown.text.sources;
    this.note.textContent = say(both ? "about_maps_both" : "about_maps") + (pooled ? say("gap") + say(both ? "about_pooled_both" : "about_pooled", {rows, columns}) : "");
    // A pixel is one number, opacity first, as every browser's machine stores it.
    const [ink, more, less] = this.explorer.colours("weight", "more", "less").map(([red, green, blue]) => (blue << 16) | (green << 8) | red);
    const painted = [...maps, ink, more, less];
    if (painted.every((one, number) => one === this.painted?.[number])) return;
    this.painted = painted;
    const {canvas} = this;
    canvas.width = heads * columns;
    canvas.height = layers * rows;
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, canvas.height);
    const pixels = new Uint32Array(image.data.buffer);
    const before = maps[0].values, after = maps.at(-1).values;
    for (let layer = 0, from = 0; layer < layers; layer++)
      for (let head = 0; head < heads; head++)
        for (let row = 0; row < rows; row++) {
          let to = (layer * rows + row) * canvas.width + head * columns;
          for (let column = 0; column < columns; column++, from++, to++) {
            const change = both ? after[from] - before[from] : after[from];
            const opacity = Math.round(255 * Math.sqrt(Math.min(1, Math.abs(change))));
            pixels[to] = (opacity << 24) | (both ? (change > 0 ? more : less) : ink);
          }
        }
    context.putImageData(image, 0, 0);
  }

  /** Paint the map of queries and keys of every head, in the state that cells show. */
  #paintMaps(shown) {
    const {say, categories} = this.explorer;
    const state = shown.states.at(this.explorer.selection.cellState === "before" ? 0 : -1);
    this.note.textContent = say("about_small_maps", {state: this.explorer.stateName(state)});
    const {shape, values} = shown.maps[state];
    const [layers, heads, points] = shape;
    const {canvas} = this;
    this.painted = null;
    canvas.width = heads * CELL;
    canvas.height = layers * CELL;
    const context = canvas.getContext("2d");
    const inCell = (value) => Math.round(((value + 1) / 2) * (CELL - 4)) + 1;
    for (let cell = 0, from = 0; cell < layers * heads; cell++) {
      const [left, top] = [(cell % heads) * CELL, Math.floor(cell / heads) * CELL];
      for (let point = 0; point < points; point++, from += 2) {
        context.fillStyle = categories[point < points / 2 ? QUERY : KEY];
        context.fillRect(left + inCell(values[from]), top + CELL - 2 - inCell(values[from + 1]), 2, 2);
      }
    }
  }

  /** The heads with the largest numbers, as buttons. */
  #rank(numbers) {
    const {say} = this.explorer;
    const {heads} = this.explorer.shown.stream;
    this.ranking.hidden = this.ranked.hidden = !numbers?.rank;
    if (!numbers?.rank) return;
    this.ranked.textContent = say("ranked", {name: numbers.title});
    const order = [...numbers.flat.keys()].filter((i) => numbers.flat[i] !== null);
    order.sort((i, j) => numbers.rank(numbers.flat[j]) - numbers.rank(numbers.flat[i]));
    this.ranking.replaceChildren(...order.slice(0, RANKED).map((i, rank) => {
      const [layer, head] = [Math.floor(i / heads) + 1, (i % heads) + 1];
      const textContent = `${say("head_short", {layer, head})} ${numbers.write(numbers.flat[i])}`;
      const button = element("button", {type: "button", textContent, onclick: () => this.explorer.select({layer, head})});
      button.dataset.focus = `rank-${rank}`;
      const item = element("li");
      item.append(button);
      return item;
    }));
  }

  /** Every head and its number, in words; null for pictures. */
  table(shown) {
    const {say, selection} = this.explorer;
    if (PICTURES.includes(selection.cells)) return null;
    const numbers = this.numbers(shown, selection.cells);
    const {heads} = shown.stream;
    const rank = (i) => (numbers.rank && numbers.flat[i] !== null ? numbers.rank(numbers.flat[i]) : -Infinity);
    const order = [...numbers.flat.keys()].sort((i, j) => rank(j) - rank(i) || i - j);
    const rows = order.map((i) => [Math.floor(i / heads) + 1, (i % heads) + 1, numbers.write(numbers.flat[i])]);
    return tableOf([say("layer"), say("head"), numbers.title], rows);
  }
}

/** Layer and head of a cell. */
function placeOf({dataset: {layer, head}}) {
  return {layer: Number(layer), head: Number(head)};
}
