// All heads of a model, layers as rows: a cell is a picture of the head, or one number.

const PICTURES = ["attention", "map"]; // what cells show where they show no number
const picturesOf = ({map}) => (map ? PICTURES : PICTURES.slice(0, 1)); // of a stream
const CELL = 40; // pixels of a map in a cell
const RANKED = 6; // heads that are listed by their number
/** Numbers of heads: shares are written in percent. */
const OF_HEADS = {
  previous: {share: true},
  self: {share: true},
  next: {share: true},
  first: {share: true},
  sink: {share: true},
  relative_entropy: {},
  distance: {}, // of two states
  loss_change: {signed: true},
  family: {word: true},
  ...Object.fromEntries(["pairs", "pairs_back", "pairs_before"].map((name) => [name, {share: true, signed: true}])),
};

/** The grid of heads, a list of those with the largest number, and what chooses the number. */
class HeadGrid {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("section", {className: "heads", ariaLabel: say("heads")});
    this.choice = element("select", {onchange: () => explorer.select({cells: this.choice.value})});
    this.grid = element("div", {className: "grid", role: "group", ariaLabel: say("heads_grid")});
    this.canvas = element("canvas", {ariaHidden: "true"});
    this.note = element("p", {className: "soft"});
    this.ranking = element("ol", {className: "ranking"});
    this.element.append(
      element("h2", {textContent: say("heads")}),
      labelled(say("cells"), this.choice),
      this.grid,
      this.note,
      this.ranking,
    );
    this.grid.addEventListener("keydown", (event) => this.#walk(event));
  }

  /** Arrow keys go from head to head. */
  #walk(event) {
    const step = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key];
    if (!step) return;
    event.preventDefault();
    const {layers, heads} = this.explorer.shown.stream;
    const {layer, head} = event.target.dataset;
    const inside = (number, most) => Math.min(most, Math.max(1, number));
    const next = {layer: inside(Number(layer) + step[0], layers), head: inside(Number(head) + step[1], heads)};
    this.explorer.select(next);
    this.buttons[(next.layer - 1) * heads + next.head - 1].focus();
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    this.#offer(shown);
    const {layers, heads} = shown.stream;
    const numbers = PICTURES.includes(selection.cells) ? null : this.numbers(shown, selection.cells);
    this.grid.style.gridTemplateColumns = `1.4rem repeat(${heads}, minmax(0, 1fr))`;
    this.grid.style.setProperty("--heads", heads);
    this.grid.style.maxWidth = `${1.4 + 3.4 * heads}rem`;
    const size = `${layers}x${heads}`;
    if (this.size !== size) {
      this.size = size;
      this.#build(layers, heads);
    }
    for (const button of this.buttons) {
      const {layer, head} = button.dataset;
      const value = numbers?.at(layer - 1, head - 1);
      const written = numbers ? numbers.write(value) : "";
      button.textContent = numbers ? numbers.short(value) : "";
      const name = say("head_name", {layer, head});
      button.title = button.ariaLabel = numbers ? say("told", {name, value: written}) : name;
      button.ariaPressed = Number(layer) === selection.layer && Number(head) === selection.head;
      button.style.background = numbers ? numbers.shade(value) : "";
    }
    stopAt(this.buttons, (selection.layer - 1) * heads + selection.head - 1);
    this.canvas.hidden = Boolean(numbers);
    if (numbers) this.note.textContent = numbers.about;
    else if (selection.cells === "map") this.#paintMaps(shown);
    else this.#paintAttention(shown);
    this.#rank(numbers);
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
    const two = known.length > 1 && !kind.word;
    const valueOf = (state, layer, head) => byState[state]?.[layer]?.[head] ?? null;
    const at = (layer, head) => {
      if (byState.both) return valueOf("both", layer, head);
      const [before, after] = [valueOf(known[0], layer, head), valueOf(known.at(-1), layer, head)];
      if (!two) return after;
      return before === null || after === null ? null : after - before;
    };
    const {layers, heads} = shown.stream;
    const flat = Array.from({length: layers * heads}, (_, i) => at(Math.floor(i / heads), i % heads));
    const most = Math.max(1e-9, ...flat.filter((value) => value !== null).map(Math.abs).filter((value) => !Number.isNaN(value)));
    const write = (value) => {
      if (value === null) return say("undefined");
      if (kind.word) return say(`family_${value}`);
      if (kind.share && two) return say("points", {change: tenths(value, true)});
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
      return shaded(value < 0 ? "less-tone" : "more-tone", value, most, 75);
    };
    // A number that not every state has, such as what disabling a head does.
    const only = !byState.both && known.length < shown.states.length && Object.keys(byState).at(-1);
    const last = kind.word && known.length > 1 && say("about_last_state", {state: this.explorer.stateName(known.at(-1))});
    const one = only && say("about_one_state", {state: this.explorer.stateName(only)});
    const unit = kind.share && say(two ? "about_points" : "about_percent");
    const about = [say(`about_${name}`), two && say("about_change"), last, one, unit].filter(Boolean).join(say("gap"));
    // What depends on a head most is where the loss rises; a change may be of either sign.
    const rank = (value) => (kind.signed && !two ? value : Math.abs(value));
    return {flat, at, write, short, shade, about, rank: kind.word ? null : rank};
  }

  #build(layers, heads) {
    const cells = [element("span")];
    for (let head = 1; head <= heads; head++) cells.push(element("span", {textContent: head}));
    this.buttons = [];
    for (let layer = 1; layer <= layers; layer++) {
      cells.push(element("span", {textContent: layer}));
      for (let head = 1; head <= heads; head++) {
        const button = element("button", {type: "button", onclick: () => this.explorer.select({layer, head})});
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
    const maps = shown.states.map((state) => shown.thumbnails[state]);
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

  /** Paint the map of queries and keys of every head, in the last state that is shown. */
  #paintMaps(shown) {
    const {say, categories} = this.explorer;
    const state = shown.states.at(-1);
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
    this.ranking.hidden = !numbers?.rank;
    if (!numbers?.rank) return;
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
    return tableOf([say("layer"), say("head"), say(`cell_${selection.cells.replace("mean-", "")}`)], rows);
  }
}
