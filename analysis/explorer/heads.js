// All heads of a model, layers as rows: a cell is what its attention looks like, or one number.

const PICTURES = ["attention", "map"]; // what cells show where they show no number
const CELL = 40; // pixels of a map in a cell
const CHANGE = "distance"; // the number that is of two states

/** The grid of heads, a list of those with the largest number, and what chooses the number. */
class HeadGrid {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("section", {className: "heads", ariaLabel: say("heads")});
    this.choice = element("select", {onchange: () => explorer.select({c: this.choice.value})});
    this.grid = element("div", {className: "grid", role: "group"});
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
    const {l, h} = this.explorer.selection;
    const inside = (number, most) => Math.min(most, Math.max(1, number));
    const next = {l: inside(l + step[0], layers), h: inside(h + step[1], heads)};
    this.explorer.select(next);
    this.buttons[(next.l - 1) * heads + next.h - 1].focus();
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    this.#offer(shown);
    const {layers, heads} = shown.stream;
    const values = PICTURES.includes(selection.c) ? null : this.numbers(shown, selection.c);
    this.grid.style.gridTemplateColumns = `1.4rem repeat(${heads}, minmax(0, 1fr))`;
    this.grid.style.maxWidth = `${1.4 + 3.4 * heads}rem`;
    const size = `${layers}x${heads}`;
    if (this.size !== size) {
      this.size = size;
      this.#build(layers, heads);
    }
    const [low, high] = values?.numeric ? extremes(values.flat) : [0, 1];
    for (const button of this.buttons) {
      const {layer, head} = button.dataset;
      const value = values?.at(layer - 1, head - 1);
      const written = values ? values.write(value) : "";
      button.textContent = values ? values.short(value) : "";
      button.title = button.ariaLabel = [say("head_name", {layer, head}), written].filter(Boolean).join(": ");
      button.ariaPressed = Number(layer) === selection.l && Number(head) === selection.h;
      button.style.background = values ? tint(value, low, high) : "";
    }
    this.canvas.hidden = Boolean(values);
    const maps = selection.c === "map";
    this.note.textContent = values ? values.about : maps ? say("about_small_maps", {state: this.explorer.stateName(shown.states.at(-1))}) : this.#aboutAttention(shown);
    if (!values) maps ? this.#paintMaps(shown) : this.#paintAttention(shown);
    this.#rank(values);
  }

  /** What cells can show: maps, numbers in this text, and means over texts. */
  #offer(shown) {
    const {say, selection} = this.explorer;
    const counts = Object.entries(shown.overTexts ?? {}).map(([name, {texts}]) => [name, texts]);
    const known = JSON.stringify([shown.stream.map, Object.keys(shown.inText), counts]);
    if (this.known !== known) {
      this.known = known;
      const group = (label, options) => {
        const made = element("optgroup", {label});
        made.append(...options);
        return made;
      };
      const pictures = PICTURES.slice(0, shown.stream.map ? 2 : 1).map((name) => new Option(say(`cell_${name}`), name));
      const inText = Object.keys(shown.inText).map((name) => new Option(say(`cell_${name}`), name));
      this.choice.replaceChildren(...pictures, group(say("in_this_text"), inText));
      const means = counts.map(([name, count]) => new Option(say("over_count", {name: say(`cell_${name}`), count}), `mean-${name}`));
      if (means.length) this.choice.append(group(say("over_texts"), means));
    }
    if (![...this.choice.options].some((one) => one.value === selection.c)) selection.c = "attention";
    this.choice.value = selection.c;
  }

  /** A number of every head: of the state that is shown, or its change between the two. */
  numbers(shown, name) {
    const {say} = this.explorer;
    const mean = name.startsWith("mean-");
    const plain = name.replace("mean-", "");
    const source = mean ? shown.overTexts[plain].states : shown.inText[plain];
    const states = shown.states.filter((state) => source[state]);
    const [before, after] = [source[states[0]], source[states.at(-1)]];
    const single = source.both ?? (states.length === 1 ? before : null);
    const at = (layer, head) => {
      if (single) return single[layer]?.[head] ?? null;
      const pair = [before, after].map((one) => one?.[layer]?.[head] ?? null);
      return pair.includes(null) || typeof pair[0] === "string" ? pair.at(-1) : pair[1] - pair[0];
    };
    const {layers, heads} = shown.stream;
    const flat = Array.from({length: layers * heads}, (_, i) => at(Math.floor(i / heads), i % heads));
    const numeric = flat.some((value) => typeof value === "number");
    const change = !single && numeric && before && after;
    const share = !["loss_change", CHANGE, "relative_entropy"].includes(plain);
    const write = (value) => {
      if (value === null || value === undefined) return say("undefined");
      if (typeof value === "string") return say(`family_${value}`);
      const sign = (change || plain === "loss_change") && value > 0 ? "+" : "";
      return sign + (share ? percent(value) : signed(value, 3));
    };
    const short = (value) => {
      if (value === null || value === undefined) return "–";
      if (typeof value === "string") return say(`family_short_${value}`);
      if (share) return String(Math.round(100 * value));
      return Math.abs(value) < 0.05 ? "" : signed(value, 1).replace(/^(−?)0\./, "$1.");
    };
    const about = [say(`about_${plain}`), change && say("about_change"), share && say("about_percent")];
    return {at, flat, numeric, write, short, about: about.filter(Boolean).join(" ")};
  }

  #build(layers, heads) {
    const {say} = this.explorer;
    const cells = [element("span")];
    for (let head = 1; head <= heads; head++) cells.push(element("span", {textContent: head}));
    this.buttons = [];
    for (let layer = 1; layer <= layers; layer++) {
      cells.push(element("span", {textContent: layer}));
      for (let head = 1; head <= heads; head++) {
        const button = element("button", {type: "button", onclick: () => this.explorer.select({l: layer, h: head})});
        Object.assign(button.dataset, {layer, head});
        this.buttons.push(button);
        cells.push(button);
      }
    }
    this.grid.ariaLabel = say("heads_grid");
    this.grid.replaceChildren(this.canvas, ...cells);
  }

  #aboutAttention(shown) {
    const {say} = this.explorer;
    const [, , rows, columns] = shown.thumbnails[shown.states[0]].shape;
    const whole = [shown.text.queries.tokens.length, shown.text.sources];
    const pooled = rows < whole[0] || columns < whole[1];
    const both = shown.states.length > 1;
    return say(both ? "about_maps_both" : "about_maps") + (pooled ? ` ${say("about_pooled", {rows, columns})}` : "");
  }

  /** Paint the attention of every head into one picture, which lies behind the buttons. */
  #paintAttention(shown) {
    const {layers, heads} = shown.stream;
    const maps = shown.states.map((state) => shown.thumbnails[state]);
    const [, , rows, columns] = maps[0].shape;
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
    const before = maps[0].values, after = maps.at(-1).values, both = maps.length > 1;
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
    const {shape, values} = shown.maps[shown.states.at(-1)];
    const [layers, heads, points] = shape;
    const {canvas} = this;
    canvas.width = heads * CELL;
    canvas.height = layers * CELL;
    this.painted = null;
    const context = canvas.getContext("2d");
    const {categories} = this.explorer;
    const inCell = (value) => Math.round(((value + 1) / 2) * (CELL - 4)) + 1;
    for (let cell = 0, from = 0; cell < layers * heads; cell++) {
      const [left, top] = [(cell % heads) * CELL, Math.floor(cell / heads) * CELL];
      for (let point = 0; point < points; point++, from += 2) {
        context.fillStyle = categories[point < points / 2 ? 2 : 3]; // queries, then keys
        context.fillRect(left + inCell(values[from]), top + CELL - 2 - inCell(values[from + 1]), 2, 2);
      }
    }
  }

  /** The heads with the largest numbers, as buttons. */
  #rank(values) {
    const {say} = this.explorer;
    const {heads} = this.explorer.shown.stream;
    this.ranking.hidden = !values?.numeric;
    if (!values?.numeric) return;
    const order = [...values.flat.keys()].filter((i) => values.flat[i] !== null);
    order.sort((i, j) => Math.abs(values.flat[j]) - Math.abs(values.flat[i]));
    this.ranking.replaceChildren(...order.slice(0, 6).map((i) => {
      const [l, h] = [Math.floor(i / heads) + 1, (i % heads) + 1];
      const item = element("li");
      const text = `${say("head_short", {layer: l, head: h})} ${values.write(values.flat[i])}`;
      item.append(element("button", {type: "button", textContent: text, onclick: () => this.explorer.select({l, h})}));
      return item;
    }));
  }

  /** Rows of the text table: every head and its number. */
  table(shown) {
    const {say, selection} = this.explorer;
    if (PICTURES.includes(selection.c)) return null;
    const values = this.numbers(shown, selection.c);
    const {heads} = shown.stream;
    const rows = [...values.flat.entries()].map(([i, value]) => [Math.floor(i / heads) + 1, (i % heads) + 1, values.write(value)]);
    return {head: [say("layer"), say("head"), say(`cell_${selection.c.replace("mean-", "")}`)], rows};
  }
}
