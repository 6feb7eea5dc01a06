// Maps in the plane: queries and keys of one head, and tokens at one feature point; of one state, or
// of both side by side on the same axes.

const PAD = 14; // pixels around the points
const STRONGEST = 4; // keys that are labelled
const LABEL = 14; // pixels between two labels
const DRAWN = 0.02; // weights below have no line
const FADED = 0.4; // points of a map that is not to be trusted; not what is chosen on it
const ZOOMED = 1.6; // a step
const MOST_ZOOMED = 40;
const FOUND = 12; // tokens that are found and labelled
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
    this.zoom = {scale: 1, x: 0, y: 0}; // of all panels, and what lies in their centres
    this.found = ""; // part of the tokens that are looked for
    // How wide they are, the page says.
    this.resized = new ResizeObserver(debounced(() => this.#fit()));
    this.resized.observe(this.element);
  }

  /**
   * Draw panels.
   *
   * @param {{title, note, trusted, points, places, lines, labels}[]} contents A panel each. `points`
   *   are `{colour, hollow, pale, token, name, word}`, their places `[point, 2]` in [-1, 1]; lines are
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

  /** Come nearer by a factor, to a place that stays where it is: what is chosen, where none is given. */
  nearer(factor, place = this.#middle()) {
    const {zoom} = this;
    const scale = Math.min(MOST_ZOOMED, Math.max(1, zoom.scale * factor));
    const left = zoom.scale / scale; // of the way from the place to the centre
    const centre = (axis, number) => (scale === 1 ? 0 : place[number] + (zoom[axis] - place[number]) * left);
    this.zoom = {scale, x: centre("x", 0), y: centre("y", 1)};
    this.repaint();
  }

  /** Place of the token that is chosen, in the last panel; the centre where it is not on the map. */
  #middle() {
    const content = this.panels.at(-1)?.content;
    const strong = content?.labels.find((label) => label.strong);
    return strong ? [content.places[2 * strong.point], content.places[2 * strong.point + 1]] : [this.zoom.x, this.zoom.y];
  }

  whole() {
    this.zoom = {scale: 1, x: 0, y: 0};
    this.repaint();
  }

  /** Look for tokens that hold a text; gives how many there are. */
  find(text) {
    this.found = text.trim().toLowerCase();
    this.repaint();
    const [panel] = this.panels;
    return this.found && panel ? panel.content.points.filter((point) => this.#isFound(point)).length : 0;
  }

  #isFound({word}) {
    return this.found !== "" && word.toLowerCase().includes(this.found);
  }

  repaint() {
    for (const panel of this.panels) this.#paint(panel);
  }

  #fit() {
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
    this.#drag(panel);
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
      event.preventDefault();
      this.nearer(event.deltaY < 0 ? ZOOMED : 1 / ZOOMED, panel.from(event));
    }, {passive: false});
    canvas.addEventListener("click", (event) => {
      if (panel.dragged) return;
      const point = this.#nearest(panel, event);
      if (point !== null) this.choose(point);
    });
    this.panels.push(panel);
  }

  /** What is near can be moved, as far as there are points. */
  #drag(panel) {
    const {canvas} = panel;
    let from = null;
    canvas.addEventListener("pointerdown", (event) => {
      panel.dragged = false;
      if (this.zoom.scale > 1) from = panel.from(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!from || !event.buttons) return;
      const [x, y] = panel.from(event);
      if (Math.hypot(x - from[0], y - from[1]) * this.zoom.scale < 0.03 && !panel.dragged) return;
      panel.dragged = true;
      const inside = (value) => Math.min(1, Math.max(-1, value));
      this.zoom = {...this.zoom, x: inside(this.zoom.x + from[0] - x), y: inside(this.zoom.y + from[1] - y)};
      this.repaint();
    });
    canvas.addEventListener("pointerup", () => (from = null));
  }

  #paint(panel) {
    const {canvas} = panel;
    const {title, note, trusted, points, places, lines, labels} = panel.content;
    panel.width = canvas.parentElement.clientWidth;
    const width = panel.width || 300;
    const height = canvas.parentElement.clientHeight || width;
    Object.assign(canvas, {width: Math.round(SHARP * width), height: Math.round(SHARP * height)});
    const context = canvas.getContext("2d");
    context.scale(SHARP, SHARP);
    const {scale, x: centreX, y: centreY} = this.zoom;
    const half = scale * (Math.min(width, height) / 2 - PAD);
    const at = (point) => [width / 2 + half * (places[2 * point] - centreX), height / 2 - half * (places[2 * point + 1] - centreY)];
    panel.at = at;
    panel.from = ({clientX, clientY}) => {
      const box = canvas.getBoundingClientRect();
      return [centreX + (clientX - box.left - width / 2) / half, centreY - (clientY - box.top - height / 2) / half];
    };
    panel.caption.replaceChildren(element("strong", {textContent: title}), ` ${note}`);
    panel.caption.title = panel.caption.textContent;
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
    const found = [...points.keys()].filter((number) => this.#isFound(points[number]));
    const named = found.slice(0, FOUND).filter((number) => !labels.some(({point}) => point === number));
    const written = [...labels, ...named.map((point) => ({point, text: points[point].word}))];
    const marked = new Set([...labels.map((label) => label.point), ...found]);
    // Pale ones lie below, marked ones on top.
    for (const layer of [2, 1, 0])
      points.forEach((point, number) => {
        const own = marked.has(number) ? 0 : point.pale ? 2 : 1;
        if (own === layer) this.#dot(context, at(number), point, own === 0, trusted);
      });
    const inSight = written.filter(({point}) => at(point).every((pixel, axis) => pixel >= 0 && pixel <= [width, height][axis]));
    const heights = apart(inSight.map(({point}) => at(point)[1]), height - LABEL / 2);
    panel.labels.replaceChildren(...inSight.map(({point, text, strong}, number) => {
      const [x, y] = [at(point)[0], heights[number]];
      const label = element("span", {textContent: text, className: strong ? "strong" : ""});
      const left = x > width / 2;
      Object.assign(label.style, {top: `${y}px`, [left ? "right" : "left"]: `${left ? width - x + 8 : x + 8}px`});
      return label;
    }));
  }

  #dot(context, [x, y], {colour, hollow, pale}, marked, trusted) {
    context.globalAlpha = marked ? 1 : (pale ? 0.22 : 0.9) * (trusted ? 1 : FADED);
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
    this.controls.append(hinted(say("map_method"), this.method), hinted(say("colours"), this.colours));
    this.element.append(this.controls, this.panels.element, this.#nearness(), this.legend, this.status);
  }

  /** What brings the map nearer, and finds tokens on it. */
  #nearness() {
    const {say} = this.explorer;
    const {panels} = this;
    const line = element("div", {className: "controls nearness"});
    const button = (textContent, word, onclick) => element("button", {type: "button", textContent, title: say(word), ariaLabel: say(word), onclick});
    const search = element("input", {type: "search", placeholder: say("find_token"), ariaLabel: say("find_token")});
    const count = element("output", {className: "soft"});
    search.oninput = () => {
      const found = panels.find(search.value);
      count.textContent = search.value.trim() ? say("found_tokens", {count: found}) : "";
    };
    line.append(
      button("+", "nearer", () => panels.nearer(ZOOMED)),
      button("−", "farther", () => panels.nearer(1 / ZOOMED)),
      button("1:1", "whole_map", () => panels.whole()),
      search,
      count,
    );
    return line;
  }

  /** Show panels of the states that have a map, and what is to be known of them. */
  show(contents, legend, about) {
    const {say} = this.explorer;
    this.panels.draw(contents);
    this.legend.replaceChildren(...legend.map(({colour, name, hollow, scale}) => {
      if (scale) return this.#scaleOf(scale);
      const entry = element("span");
      const mark = element("i", {ariaHidden: "true", className: hollow ? "hollow" : ""});
      mark.style.setProperty("--mark", colour);
      entry.append(mark, name);
      return entry;
    }));
    const untrusted = contents.some(({trusted}) => !trusted) && say("about_untrusted", {least: TRUSTED});
    this.status.textContent = [contents.length ? about : say("no_map"), untrusted].filter(Boolean).join(say("gap"));
  }

  /** What shades stand for: numbers at the ends of a strip. */
  #scaleOf([low, high]) {
    const entry = element("span", {className: "scale"});
    const strip = element("i", {ariaHidden: "true", className: "of-map"});
    strip.style.setProperty("--shades", this.explorer.scale.join(", "));
    entry.append(element("span", {textContent: low}), strip, element("span", {textContent: high}));
    return entry;
  }

  /** Colours of tokens by text, part, or a number; and what they mean. */
  palette(kind, tokens, shown) {
    const {say, categories, shade} = this.explorer;
    const most = (number) => Math.max(1e-9, tokens.reduce((most, token) => Math.max(most, number(token)), 0));
    const scale = (number, shadeOf) => {
      const highest = shadeOf(most(number)) || 1;
      return {colour: (token) => shade(shadeOf(number(token)) / highest), legend: [{scale: ["0", String(Math.round(most(number)))]}]};
    };
    if (kind === "position") return scale(({position}) => position, (position) => position);
    if (kind === "frequency") return scale(({frequency}) => frequency, Math.log1p);
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
        title: this.explorer.shortName(state),
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
        word: token.token,
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
        legend: [{scale: ["0", digits(longest)]}],
      };
    return this.palette(kind, tokens, shown);
  }

  /** Lines from the chosen query to its keys, by their weight. */
  #lines(shown, state) {
    const {selection} = this.explorer;
    const row = part(shown.heads[state].attention, selection.query);
    return [...row.entries()]
      .filter(([key, weight]) => weight >= DRAWN && shown.between(selection.query, key))
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
      word: token.token,
    }));
    const chosen = features.tokens.findIndex(({text, position}) => text === selection.text && position === selection.query);
    const labels = chosen < 0 ? [] : [{point: chosen, text: features.tokens[chosen].token, strong: true}];
    const states = shown.states.filter((state) => shown.laidOut[state]);
    const places = fitted(states.map((state) => part(shown.laidOut[state], selection.point)));
    const contents = states.map((state, number) => ({
      title: this.explorer.shortName(state),
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
