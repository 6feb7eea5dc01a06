// Maps in the plane: queries and keys of one head, and tokens at one feature point; of one state, or
// of both side by side on the same axes.

const PAD = 14; // pixels around the points
const STRONGEST = 4; // keys that are labelled
const LABEL = 14; // pixels between two labels
const DRAWN = 0.02; // weights below have no line
const CAPTION = 20; // pixels of a line of text above a saved map
const TRUSTED = 0.8; // of what is near on the map, near where it comes from
/** Places of kinds among the categories of colours. */
const QUERY = 2, KEY = 3;
const UNLABELLED = "#8b93a0";
const PARTS = {special: 0, evidence: 6, other: 4};

/** Panels of points, one a state, that share their axes. */
class Panels {
  /**
   * @param {Explorer} explorer
   * @param {(point: number) => void} choose Called with a point that was pressed.
   */
  constructor(explorer, choose) {
    this.explorer = explorer;
    this.choose = choose;
    this.element = element("div", {className: "panels"});
    this.panels = [];
    // How wide they are, the page says.
    this.resized = new ResizeObserver(debounced(() => this.#repaint()));
    this.resized.observe(this.element);
  }

  /**
   * Draw panels.
   *
   * @param {{title, note, trusted, points, places, lines, labels}[]} contents A panel each. `points`
   *   are `{colour, hollow, pale, token, name}`, their places `[point, 2]` in [-1, 1]; lines are
   *   `{from, to, weight}` by points; labels are `{point, text, strong}`.
   */
  draw(contents) {
    while (this.panels.length > contents.length) this.panels.pop().figure.remove();
    while (this.panels.length < contents.length) this.#add();
    this.panels.forEach((panel, number) => {
      panel.content = contents[number];
      this.#paint(panel);
    });
  }

  #repaint() {
    for (const panel of this.panels) if (panel.width !== panel.canvas.parentElement.clientWidth) this.#paint(panel);
  }

  #add() {
    const canvas = element("canvas", {tabIndex: -1, role: "img"});
    const frame = element("div", {className: "plane"});
    const caption = element("figcaption");
    const figure = element("figure");
    const labels = element("div", {className: "labels", ariaHidden: "true"});
    frame.append(canvas, labels);
    figure.append(caption, frame);
    this.element.append(figure);
    const panel = {figure, canvas, labels, caption};
    canvas.addEventListener("pointermove", (event) => this.#point(panel, event));
    canvas.addEventListener("pointerleave", () => this.explorer.preview(null));
    canvas.addEventListener("click", (event) => {
      const point = this.#nearest(panel, event);
      if (point !== null) this.choose(point);
    });
    this.panels.push(panel);
  }

  #paint(panel) {
    const {canvas} = panel;
    const {title, note, trusted, points, places, lines, labels} = panel.content;
    panel.width = canvas.parentElement.clientWidth;
    const width = panel.width || 300;
    const ratio = Math.min(2, devicePixelRatio || 1);
    canvas.width = canvas.height = Math.round(width * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const half = width / 2 - PAD;
    const at = (point) => [width / 2 + half * places[2 * point], width / 2 - half * places[2 * point + 1]];
    panel.at = at;
    panel.caption.replaceChildren(element("strong", {textContent: title}), ` ${note}`);
    panel.figure.classList.toggle("untrusted", !trusted);
    canvas.ariaLabel = this.explorer.say("told", {name: title, value: note});
    const [[red, green, blue]] = this.explorer.colours("weight");
    for (const {from, to, weight: share} of lines) {
      context.beginPath();
      context.moveTo(...at(from));
      context.lineTo(...at(to));
      context.lineWidth = 0.5 + 7 * share;
      context.strokeStyle = `rgb(${red} ${green} ${blue} / ${0.15 + 0.6 * Math.sqrt(share)})`;
      context.stroke();
    }
    const marked = new Set(labels.map((label) => label.point));
    // Pale ones lie below, marked ones on top.
    for (const layer of [2, 1, 0])
      points.forEach((point, number) => {
        const own = marked.has(number) ? 0 : point.pale ? 2 : 1;
        if (own === layer) this.#dot(context, at(number), point, own === 0);
      });
    const heights = apart(labels.map(({point}) => at(point)[1]), width - LABEL / 2);
    panel.labels.replaceChildren(...labels.map(({point, text, strong}, number) => {
      const [x, y] = [at(point)[0], heights[number]];
      const label = element("span", {textContent: text, className: strong ? "strong" : ""});
      const left = x > width / 2;
      Object.assign(label.style, {top: `${y}px`, [left ? "right" : "left"]: `${left ? width - x + 8 : x + 8}px`});
      return label;
    }));
  }

  #dot(context, [x, y], {colour, hollow, pale}, marked) {
    context.globalAlpha = pale ? 0.22 : 0.9;
    context.beginPath();
    const radius = marked ? 5 : 3;
    if (hollow) {
      context.moveTo(x, y - radius - 1);
      for (const [dx, dy] of [[1, 0], [0, 1], [-1, 0], [0, -1]]) context.lineTo(x + dx * (radius + 1), y + dy * (radius + 1));
      context.strokeStyle = colour;
      context.lineWidth = marked ? 2.4 : 1.4;
      context.stroke();
    } else {
      context.arc(x, y, radius, 0, 2 * Math.PI);
      context.fillStyle = colour;
      context.fill();
    }
    context.globalAlpha = 1;
  }

  #nearest({canvas, content: {points}, at}, event) {
    const box = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let nearest = null, least = 18 ** 2;
    for (const number of points.keys()) {
      const [px, py] = at(number);
      const distance = (px - x) ** 2 + (py - y) ** 2 + (points[number].pale ? 40 : 0);
      if (distance < least) [nearest, least] = [number, distance];
    }
    return nearest;
  }

  #point(panel, event) {
    const number = this.#nearest(panel, event);
    const point = panel.content.points[number];
    panel.canvas.style.cursor = point ? "pointer" : "";
    panel.canvas.title = point ? point.name : "";
    this.explorer.preview(point?.token ?? null);
  }

  /** One picture of all panels side by side, with their captions and labels. */
  picture() {
    const joined = element("canvas");
    const ratio = Math.min(2, devicePixelRatio || 1);
    const above = Math.round(2 * CAPTION * ratio);
    joined.width = this.panels.reduce((sum, {canvas}) => sum + canvas.width, 0);
    joined.height = this.panels[0].canvas.height + above;
    const context = joined.getContext("2d");
    context.fillStyle = getComputedStyle(this.element).backgroundColor;
    context.fillRect(0, 0, joined.width, joined.height);
    let left = 0;
    for (const {canvas, labels, caption, content: {title, note, trusted}} of this.panels) {
      context.fillStyle = getComputedStyle(caption).color;
      context.font = `bold ${13 * ratio}px sans-serif`;
      context.fillText(title, left + PAD, above / 2 - 4 * ratio, canvas.width - PAD);
      context.font = `${11 * ratio}px sans-serif`;
      context.fillText(note, left + PAD, above - 5 * ratio, canvas.width - PAD);
      context.globalAlpha = trusted ? 1 : 0.4;
      context.drawImage(canvas, left, above);
      context.globalAlpha = 1;
      context.font = `${12 * ratio}px sans-serif`;
      const box = canvas.getBoundingClientRect();
      for (const label of labels.children) {
        const own = label.getBoundingClientRect();
        context.fillText(label.textContent, left + ratio * (own.left - box.left), above + ratio * (own.top - box.top + 12));
      }
      left += canvas.width;
    }
    return joined;
  }
}

/** Heights of labels, moved where one would lie on another or below the edge. */
function apart(heights, edge) {
  const order = [...heights.keys()].sort((one, other) => heights[one] - heights[other]);
  const moved = [...heights];
  order.forEach((label, number) => {
    if (number) moved[label] = Math.max(moved[label], moved[order[number - 1]] + LABEL);
  });
  order.reverse().forEach((label, number) => {
    moved[label] = Math.min(moved[label], number ? moved[order[number - 1]] - LABEL : edge);
  });
  return moved;
}

/** Fit places of all states into [-1, 1], together, so that they can be compared. */
function fitted(all) {
  const limits = [Infinity, -Infinity, Infinity, -Infinity];
  for (const places of all)
    for (let i = 0; i < places.length; i += 2) {
      limits[0] = Math.min(limits[0], places[i]);
      limits[1] = Math.max(limits[1], places[i]);
      limits[2] = Math.min(limits[2], places[i + 1]);
      limits[3] = Math.max(limits[3], places[i + 1]);
    }
  const [left, right, low, high] = limits;
  const half = Math.max(right - left, high - low) / 2 || 1;
  const centre = [(left + right) / 2, (low + high) / 2];
  return all.map((places) => places.map((value, i) => (value - centre[i % 2]) / half));
}

/** A map with what it is drawn by, its panels, and what its colours mean. */
class MapView {
  constructor(explorer, methodKey, colourKey) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("div");
    this.method = element("select", {onchange: () => explorer.select({[methodKey]: this.method.value})});
    this.colours = element("select", {onchange: () => explorer.select({[colourKey]: this.colours.value})});
    this.panels = new Panels(explorer, (point) => this.choose(point));
    this.legend = element("p", {className: "legend"});
    this.status = element("p", {className: "soft"});
    this.controls = element("div", {className: "controls"});
    this.controls.append(labelled(say("map_method"), this.method), labelled(say("colours"), this.colours));
    this.element.append(this.controls, this.panels.element, this.legend, this.status);
  }

  /** Show panels of the states that have a map, and what is to be known of them. */
  show(contents, legend, about) {
    const {say} = this.explorer;
    this.panels.draw(contents);
    this.legend.replaceChildren(...legend.map(({colour, name, hollow}) => {
      const entry = element("span");
      const mark = element("i", {ariaHidden: "true", className: hollow ? "hollow" : ""});
      mark.style.setProperty("--mark", colour);
      entry.append(mark, name);
      return entry;
    }));
    const untrusted = contents.some(({trusted}) => !trusted) && say("about_untrusted", {least: TRUSTED});
    this.status.textContent = [contents.length ? about : say("no_map"), untrusted].filter(Boolean).join(say("gap"));
  }

  /** Colours of tokens by text, part, or a number; and what they mean. */
  palette(kind, tokens, shown) {
    const {say, categories, shade} = this.explorer;
    const scale = (number, most) => ({
      colour: (token) => shade(number(token) / most),
      legend: [{colour: shade(0), name: say("low")}, {colour: shade(1), name: say("high")}],
    });
    const most = (number) => Math.max(1e-9, ...tokens.map(number));
    if (kind === "position") return scale(({position}) => position, most(({position}) => position));
    if (kind === "frequency") {
      const size = ({frequency}) => Math.log(1 + frequency);
      return scale(size, most(size));
    }
    if (kind === "text") {
      const texts = [...new Set(tokens.map(({text}) => text))];
      const titles = Object.fromEntries(shown.experiment.texts.map(({id, title}) => [id, title]));
      const colour = ({text}) => categories[texts.indexOf(text) % categories.length];
      return {colour, legend: texts.map((text) => ({colour: colour({text}), name: shortened(titles[text] ?? String(text))}))};
    }
    const partOf = ({special, evidence}) => (special ? "special" : evidence ? "evidence" : "other");
    const parts = [...new Set(tokens.map(partOf))];
    return {
      colour: (token) => categories[PARTS[partOf(token)]],
      legend: parts.map((name) => ({colour: categories[PARTS[name]], name: say(`part_${name}`)})),
    };
  }
}

/** Queries and keys of the head. */
class JointMap extends MapView {
  constructor(explorer) {
    super(explorer, "mapMethod", "mapColours");
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    const {map, points: {tokens}} = shown;
    offer(this.method, Object.keys(map.methods), say, "method_");
    this.method.value = selection.mapMethod;
    offer(this.colours, shown.mapColours, say, "colour_");
    this.colours.value = selection.mapColours;
    // Queries of all tokens, then their keys; the chosen text is a part of both.
    this.half = tokens.length;
    this.own = tokens.findIndex(({text}) => text === selection.text);
    const method = map.methods[selection.mapMethod];
    const states = shown.states.filter((state) => method[state]);
    const places = fitted(states.map((state) => shown.places[state].values));
    const longest = Math.max(1e-9, ...states.flatMap((state) => [...shown.norms[state].values]));
    let legend = [];
    const contents = states.map((state, number) => {
      const palette = this.#paletteOf(tokens, shown, state, longest);
      legend = palette.legend;
      const lines = this.own < 0 ? [] : this.#lines(shown, state);
      return {
        title: this.explorer.stateName(state),
        ...trustOf(method[state].trust, say),
        points: this.#dots(tokens, palette),
        places: places[number],
        lines,
        labels: this.own < 0 ? [] : this.#labels(shown, lines, state),
      };
    });
    this.show(contents, legend, say(this.own < 0 ? "text_not_on_map" : "about_joint"));
  }

  #dots(tokens, {colour}) {
    const {say, selection} = this.explorer;
    return Array.from({length: 2 * this.half}, (_, number) => {
      const token = tokens[number % this.half];
      const isKey = number >= this.half;
      const own = token.text === selection.text;
      return {
        hollow: isKey,
        pale: !own,
        colour: colour(token, isKey, number),
        token: own ? token.position : null,
        name: say("told", {name: say(isKey ? "key" : "query"), value: token.token}),
      };
    });
  }

  /** Colours by kind, or by the length of each vector in the state; else as all maps have them. */
  #paletteOf(tokens, shown, state, longest) {
    const {say, selection, categories, shade} = this.explorer;
    const kind = selection.mapColours;
    if (kind === "kind")
      return {
        colour: (token, isKey) => categories[isKey ? KEY : QUERY],
        legend: [{colour: categories[QUERY], name: say("query")}, {colour: categories[KEY], name: say("key"), hollow: true}],
      };
    if (kind === "norm")
      return {
        colour: (token, isKey, number) => shade(shown.norms[state].values[number] / longest),
        legend: [{colour: shade(0), name: say("low")}, {colour: shade(1), name: say("high")}],
      };
    return this.palette(kind, tokens, shown);
  }

  /** Lines from the chosen query to its keys, by their weight. */
  #lines(shown, state) {
    const {selection} = this.explorer;
    const row = part(shown.heads[state].attention, selection.query);
    return [...row.entries()]
      .filter(([, weight]) => weight >= DRAWN)
      .map(([key, weight]) => ({from: this.own + selection.query, to: this.half + this.own + key, weight}));
  }

  #labels(shown, lines, state) {
    const {selection} = this.explorer;
    const tokens = shown.text.keys.tokens;
    const first = this.half + this.own;
    const strongest = [...lines].sort((one, other) => other.weight - one.weight).slice(0, STRONGEST);
    const labels = strongest.map(({to, weight}) => ({point: to, text: `${tokens[to - first]} ${percent(weight)}`}));
    const {query, key} = selection;
    if (key !== null && !strongest.some(({to}) => to === first + key)) {
      const weight = part(shown.heads[state].attention, query)[key];
      labels.push({point: first + key, text: `${tokens[key]} ${percent(weight)}`});
    }
    return [...labels, {point: this.own + query, text: tokens[query], strong: true}];
  }

  /** A query becomes the chosen token, a key the chosen key; a token of another text, that text. */
  choose(point) {
    const {selection, shown} = this.explorer;
    const {text, position} = shown.points.tokens[point % this.half];
    if (text !== selection.text) this.explorer.select({text, query: position, key: null});
    else if (point < this.half) this.explorer.select({query: position});
    else this.explorer.chooseKey(position);
  }
}

/** Tokens of a few texts at one feature point. */
class FeatureMap extends MapView {
  constructor(explorer) {
    super(explorer, "featureMethod", "featureColours");
    this.point = element("input", {type: "range", min: 0, step: 1, oninput: () => explorer.select({point: Number(this.point.value)})});
    this.name = element("output");
    const slider = labelled(explorer.say("feature_point"), this.point);
    slider.append(this.name);
    this.controls.prepend(slider);
  }

  draw(shown) {
    const {say, selection, categories} = this.explorer;
    const {features} = shown;
    offer(this.method, shown.stream.features, say, "method_");
    this.method.value = selection.featureMethod;
    offer(this.colours, shown.featureColours, say, "colour_");
    this.colours.value = selection.featureColours;
    this.point.max = features.points.length - 1;
    this.point.value = selection.point;
    const [point, layer] = features.points[selection.point];
    this.name.textContent = layer ? say("point_in_layer", {layer, point: say(`point_${point}`)}) : say(`point_${point}`);
    this.point.setAttribute("aria-valuetext", this.name.textContent);
    const {colour, legend} = selection.featureColours === "label" ? this.#ofLabels(features, categories) : this.palette(selection.featureColours, features.tokens, shown);
    const points = features.tokens.map((token) => ({
      colour: colour(token),
      pale: false,
      hollow: token.text !== selection.text,
      token: token.text === selection.text ? token.position : null,
      name: token.token,
    }));
    const chosen = features.tokens.findIndex(({text, position}) => text === selection.text && position === selection.query);
    const labels = chosen < 0 ? [] : [{point: chosen, text: features.tokens[chosen].token, strong: true}];
    const states = shown.states.filter((state) => shown.laidOut[state]);
    const places = fitted(states.map((state) => part(shown.laidOut[state], selection.point)));
    const contents = states.map((state, number) => ({
      title: this.explorer.stateName(state),
      ...trustOf(features.states[state].trust[selection.point], say),
      points,
      places: places[number],
      lines: [],
      labels,
    }));
    this.show(contents, legend, say("about_features"));
  }

  #ofLabels({labels, label_names: names}, categories) {
    const colourOf = (label) => categories[label % categories.length];
    const known = [...new Set(Object.values(labels))].sort((one, other) => one - other);
    return {colour: ({text}) => (text in labels ? colourOf(labels[text]) : UNLABELLED), legend: known.map((label) => ({colour: colourOf(label), name: names[label]}))};
  }

  choose(point) {
    const {text, position} = this.explorer.shown.features.tokens[point];
    this.explorer.select({text, query: position, key: null});
  }
}

/** How far a map can be trusted, in words; of long texts it is not known. */
function trustOf(trust, say) {
  const told = Object.entries(trust).map(([name, value]) => `${say(`trust_${name}`)} ${value.toFixed(2)}`);
  return {note: told.join(" · "), trusted: (trust.trustworthiness ?? 1) >= TRUSTED};
}

function shortened(title) {
  return title.length > 32 ? `${title.slice(0, 30)}…` : title;
}
