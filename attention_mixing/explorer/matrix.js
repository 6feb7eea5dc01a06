// One head as a matrix: rows are the tokens that read, columns those that are read.

const LABELLED = 11; // pixels of a cell from which on every token is written
const LEAST_CELL = 3, MOST_CELL = 22;
const OF_LABELS = 84; // pixels of the tokens beside and above it

class AttentionMatrix {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("div", {className: "matrix"});
    this.panels = element("div", {className: "panels"});
    this.scale = element("p", {className: "scale"});
    this.element.append(this.panels, this.scale, element("p", {className: "soft", textContent: say("about_matrix")}));
    this.resized = new ResizeObserver(debounced(() => this.shown && this.width !== this.panels.clientWidth && this.draw(this.shown)));
    this.resized.observe(this.panels);
  }

  draw(shown) {
    this.shown = shown;
    this.width = this.panels.clientWidth;
    const {explorer} = this;
    const {say} = explorer;
    const room = (this.width || 320) / (this.width > 640 ? shown.states.length : 1) - 12;
    const columns = shown.text.sources;
    const cell = Math.max(LEAST_CELL, Math.min(MOST_CELL, Math.floor((room - OF_LABELS) / columns)));
    this.panels.replaceChildren(...shown.states.map((state) => {
      const figure = element("figure");
      const frame = element("div", {className: "matrix-frame"});
      frame.append(this.#painted(shown, state, cell));
      figure.append(element("figcaption", {textContent: explorer.stateName(state)}), frame);
      return figure;
    }));
    const marks = [0, 0.1, 0.5, 1].flatMap((share) => {
      const mark = element("i", {ariaHidden: "true", className: "cell"});
      mark.style.setProperty("--share", opacityOf(share));
      return [mark, element("span", {textContent: `${100 * share}%`})];
    });
    this.scale.replaceChildren(element("span", {textContent: say("weight")}), ...marks);
  }

  #painted(shown, state, cell) {
    const {explorer} = this;
    const {say, selection} = explorer;
    const queries = shown.text.queries.tokens;
    const keys = shown.text.keys.tokens.slice(0, shown.text.sources);
    const canvas = element("canvas", {role: "img"});
    const [width, height] = [OF_LABELS + keys.length * cell + 2, OF_LABELS + queries.length * cell + 2];
    Object.assign(canvas, {width: SHARP * width, height: SHARP * height});
    Object.assign(canvas.style, {width: `${width}px`, height: `${height}px`});
    canvas.setAttribute("aria-label", say("matrix_of", {layer: selection.layer, head: selection.head}));
    const context = canvas.getContext("2d");
    context.scale(SHARP, SHARP);
    for (const [number, {attention}] of shown.laidOver.entries()) {
      context.fillStyle = explorer.overlayColour(number);
      for (let query = 0; query < queries.length; query++)
        part(attention[state], query).forEach((weight, key) => {
          const opacity = opacityOf(weight) * (shown.between(query, key) ? 1 : 0.12);
          if (opacity < 0.02) return;
          context.globalAlpha = opacity;
          context.fillRect(OF_LABELS + key * cell, OF_LABELS + query * cell, cell, cell);
        });
    }
    context.globalAlpha = 1;
    this.#label(context, {queries, keys, cell, width, height});
    const cellAt = ({clientX, clientY}) => {
      const box = canvas.getBoundingClientRect();
      const [key, query] = [clientX - box.left, clientY - box.top].map((pixel) => Math.floor((pixel - OF_LABELS) / cell));
      const isThere = key >= 0 && key < keys.length && query >= 0 && query < queries.length;
      return isThere ? {query, key} : null;
    };
    canvas.addEventListener("pointermove", (event) => {
      const place = cellAt(event);
      canvas.title = place ? say("cell_of", {query: queries[place.query], key: keys[place.key], weight: percent(part(shown.heads[state].attention, place.query)[place.key])}) : "";
      explorer.preview(place?.key ?? null);
    });
    canvas.addEventListener("pointerleave", () => explorer.preview(null));
    canvas.addEventListener("click", (event) => {
      const place = cellAt(event);
      if (place) explorer.select(place);
    });
    return canvas;
  }

  /** Tokens beside rows and above columns: all where there is room, else those that are chosen. */
  #label(context, {queries, keys, cell, width, height}) {
    const {explorer} = this;
    const {query, key} = explorer.selection;
    const [ink, soft, rule] = explorer.colours("ink", "ink-soft", "rule").map((colour) => `rgb(${colour.join(" ")})`);
    context.strokeStyle = rule;
    context.strokeRect(OF_LABELS - 0.5, OF_LABELS - 0.5, width - OF_LABELS - 1, height - OF_LABELS - 1);
    context.textBaseline = "middle";
    const write = (token, isChosen, place) => {
      context.save();
      context.font = `${isChosen ? "bold " : ""}11px system-ui, sans-serif`;
      context.fillStyle = isChosen ? ink : soft;
      place();
      context.fillText(token, 0, 0, OF_LABELS - 6);
      context.restore();
    };
    const wanted = (number, chosen) => cell >= LABELLED || number === chosen;
    context.textAlign = "right";
    queries.forEach((token, number) => wanted(number, query) && write(token, number === query, () => context.translate(OF_LABELS - 4, OF_LABELS + (number + 0.5) * cell)));
    context.textAlign = "left";
    keys.forEach((token, number) => wanted(number, key) && write(token, number === key, () => {
      context.translate(OF_LABELS + (number + 0.5) * cell, OF_LABELS - 4);
      context.rotate(-Math.PI / 2);
    }));
    context.strokeStyle = ink;
    context.strokeRect(OF_LABELS - 0.5, OF_LABELS + query * cell - 0.5, width - OF_LABELS - 1, cell + 1);
    if (key !== null && key < keys.length) context.strokeRect(OF_LABELS + key * cell - 0.5, OF_LABELS - 0.5, cell + 1, height - OF_LABELS - 1);
  }
}

/** How opaque a weight is: small ones can be told from none, as in the pictures of all heads. */
function opacityOf(weight) {
  return Math.sqrt(Math.min(1, Math.max(0, weight)));
}
