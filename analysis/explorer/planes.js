// Maps in the plane: queries and keys of one head, and tokens at one feature point; of one state, or
// of both side by side on the same axes.

const PAD = 14; // pixels around the points
const STRONGEST = 4; // keys that are labelled
const LABEL = 14; // pixels between two labels

/** Panels of points, one a state, that share their axes, their labels and the pointer. */
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
  }

  /**
   * Draw panels.
   *
   * @param {{title, note, trusted, places, lines, labels}[]} panels Places are `[point, 2]` in
   *   [-1, 1]; lines are `{from, to, weight}` by points; labels are `{point, text, strong}`.
   * @param {{colour, hollow, size, pale, name}[]} points What all panels show of each point.
   */
  draw(panels, points) {
    this.points = points;
    while (this.panels.length > panels.length) this.panels.pop().figure.remove();
    while (this.panels.length < panels.length) this.#add();
    panels.forEach((panel, number) => this.#paint(this.panels[number], panel));
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
      const nearest = this.#nearest(panel, event);
      if (nearest !== null) this.choose(nearest);
    });
    this.panels.push(panel);
  }

  #paint(panel, {title, note, trusted, places, lines, labels}) {
    const {canvas} = panel;
    const width = canvas.parentElement.clientWidth || 300;
    const ratio = Math.min(2, devicePixelRatio || 1);
    canvas.width = canvas.height = Math.round(width * ratio);
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const half = width / 2 - PAD;
    const at = (point) => [width / 2 + half * places[2 * point], width / 2 - half * places[2 * point + 1]];
    panel.at = at;
    panel.caption.replaceChildren(element("strong", {textContent: title}), ` ${note}`);
    panel.figure.classList.toggle("untrusted", !trusted);
    canvas.ariaLabel = `${title}. ${note}`;
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
      this.points.forEach((point, number) => {
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

  #dot(context, [x, y], {colour, hollow, pale, size = 1}, marked) {
    context.globalAlpha = pale ? 0.22 : 0.9;
    context.beginPath();
    const radius = (marked ? 5 : 3) * size;
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

  #nearest(panel, event) {
    const box = panel.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    let nearest = null, least = 18 ** 2;
    for (const number of this.points.keys()) {
      const [px, py] = panel.at(number);
      const distance = (px - x) ** 2 + (py - y) ** 2 + (this.points[number].pale ? 40 : 0);
      if (distance < least) [nearest, least] = [number, distance];
    }
    return nearest;
  }

  #point(panel, event) {
    const nearest = this.#nearest(panel, event);
    panel.canvas.style.cursor = nearest === null ? "" : "pointer";
    panel.canvas.title = nearest === null ? "" : this.points[nearest].name;
    this.explorer.preview(nearest === null ? null : this.points[nearest].token ?? null);
  }

  /** One picture of all panels, with their labels. */
  picture() {
    const canvases = this.panels.map(({canvas}) => canvas);
    const joined = element("canvas");
    joined.width = canvases.reduce((sum, one) => sum + one.width, 0);
    joined.height = canvases[0].height;
    const context = joined.getContext("2d");
    context.fillStyle = getComputedStyle(this.element).backgroundColor;
    context.fillRect(0, 0, joined.width, joined.height);
    let left = 0;
    this.panels.forEach(({canvas, labels, caption}) => {
      context.drawImage(canvas, left, 0);
      const ratio = canvas.width / canvas.clientWidth;
      context.fillStyle = getComputedStyle(caption).color;
      context.font = `${12 * ratio}px sans-serif`;
      const box = canvas.getBoundingClientRect();
      for (const label of labels.children) {
        const own = label.getBoundingClientRect();
        context.fillText(label.textContent, left + ratio * (own.left - box.left), ratio * (own.top - box.top + 12));
      }
      left += canvas.width;
    });
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

/** Queries and keys of the head. */
class JointMap {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("div");
    this.method = element("select", {onchange: () => explorer.select({m: this.method.value})});
    this.paint = element("select", {onchange: () => explorer.select({u: this.paint.value})});
    this.panels = new Panels(explorer, (point) => this.#choose(point));
    this.status = element("p", {className: "soft"});
    const controls = element("div", {className: "controls"});
    controls.append(labelled(say("map_method"), this.method), labelled(say("colours"), this.paint));
    this.controls = controls;
    this.element.append(controls, this.panels.element, this.status);
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    const {map, points} = shown;
    this.controls.hidden = this.panels.element.hidden = !map;
    this.status.textContent = map ? say("about_joint") : say(selection.x === "cross" ? "no_joint_cross" : "no_joint");
    if (!map) return;
    const methods = Object.keys(map.methods);
    offer(this.method, methods, say, "method_");
    if (!methods.includes(selection.m)) selection.m = methods.at(-1);
    this.method.value = selection.m;
    const {tokens} = points;
    const colours = ["kind", "text", "position", "norm", "part"];
    if (tokens[0].frequency !== undefined) colours.push("frequency");
    offer(this.paint, colours, say, "colour_");
    if (!colours.includes(selection.u)) selection.u = "kind";
    this.paint.value = selection.u;
    const half = tokens.length; // queries of all tokens, then their keys
    const own = tokens.findIndex(({text}) => text === selection.t);
    this.range = {half, own};
    const method = map.methods[selection.m];
    const palette = this.#palette(points, shown);
    this.dots = [...Array(2 * half).keys()].map((number) => {
      const token = tokens[number % half];
      const isKey = number >= half;
      return {
        hollow: isKey,
        pale: token.text !== selection.t,
        colour: palette(token, isKey, number),
        token: token.text === selection.t ? token.position : null,
        name: `${token.token} · ${say(isKey ? "key" : "query")}`,
      };
    });
    const all = fitted(shown.states.filter((state) => method[state]).map((state) => shown.places[state].values));
    const panels = shown.states.filter((state) => method[state]).map((state, number) => {
      const trust = method[state].trust;
      const lines = own < 0 ? [] : this.#lines(shown, state);
      return {
        title: this.explorer.stateName(state),
        ...trustOf(trust, say),
        places: all[number],
        lines,
        labels: own < 0 ? [] : this.#labels(shown, lines, state),
      };
    });
    this.panels.draw(panels, this.dots);
    if (own < 0) this.status.textContent = say("text_not_on_map");
  }

  /** Colour of a point: by kind in two colours, by text or part in several, by number in shades. */
  #palette(points, shown) {
    const {selection, categories, shade} = this.explorer;
    const texts = [...new Set(points.tokens.map(({text}) => text))];
    const most = (numbers) => Math.max(...numbers, 1e-9);
    const longest = most(points.tokens.map(({position}) => position));
    const frequent = Math.log(1 + most(points.tokens.map(({frequency}) => frequency)));
    const norms = shown.norms?.[shown.states.at(-1)]?.values;
    const norm = norms && most(norms);
    return (token, isKey, number) => ({
      kind: () => categories[isKey ? 3 : 2],
      text: () => categories[texts.indexOf(token.text) % categories.length],
      part: () => categories[token.special ? 0 : token.evidence ? 6 : 4],
      position: () => shade(token.position / longest),
      frequency: () => shade(Math.log(1 + token.frequency) / frequent),
      norm: () => (norm ? shade(norms[number] / norm) : categories[0]),
    })[selection.u]();
  }

  /** Lines from the chosen query to its keys, by their weight. */
  #lines(shown, state) {
    const {selection} = this.explorer;
    const {half, own} = this.range;
    const row = part(shown.heads[state].attention, selection.q);
    return [...row.entries()]
      .filter(([, weight]) => weight >= 0.02)
      .map(([key, weight]) => ({from: own + selection.q, to: half + own + key, weight}));
  }

  #labels(shown, lines, state) {
    const {selection} = this.explorer;
    const {half, own} = this.range;
    const tokens = shown.text.keys.tokens;
    const strongest = [...lines].sort((one, other) => other.weight - one.weight).slice(0, STRONGEST);
    const labels = strongest.map(({to, weight}) => ({point: to, text: `${tokens[to - half - own]} ${percent(weight)}`}));
    if (selection.k !== null && !strongest.some(({to}) => to === half + own + selection.k)) {
      const weight = part(shown.heads[state].attention, selection.q)[selection.k];
      labels.push({point: half + own + selection.k, text: `${tokens[selection.k]} ${percent(weight)}`});
    }
    return [...labels, {point: own + selection.q, text: tokens[selection.q], strong: true}];
  }

  /** A query becomes the chosen token, a key the chosen key; a token of another text, that text. */
  #choose(point) {
    const {half} = this.range;
    const token = this.explorer.shown.points.tokens[point % half];
    if (token.text !== this.explorer.selection.t) {
      this.explorer.select({t: token.text, q: token.position, k: null});
    } else {
      this.explorer.select(point < half ? {q: token.position} : {k: token.position});
    }
  }
}

/** Tokens of a few texts at one feature point. */
class FeatureMap {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("div");
    this.method = element("select", {onchange: () => explorer.select({w: this.method.value})});
    this.paint = element("select", {onchange: () => explorer.select({a: this.paint.value})});
    this.point = element("input", {type: "range", min: 0, step: 1, oninput: () => explorer.select({p: Number(this.point.value)})});
    this.name = element("output");
    this.panels = new Panels(explorer, (point) => {
      const {text, position} = explorer.shown.features.tokens[point];
      explorer.select({t: text, q: position, k: null});
    });
    this.status = element("p", {className: "soft"});
    this.controls = element("div", {className: "controls"});
    const slider = labelled(say("feature_point"), this.point);
    slider.append(this.name);
    this.controls.append(slider, labelled(say("map_method"), this.method), labelled(say("colours"), this.paint));
    this.element.append(this.controls, this.panels.element, this.status);
  }

  draw(shown) {
    const {say, selection, categories, shade} = this.explorer;
    const {features} = shown;
    this.controls.hidden = this.panels.element.hidden = !features;
    this.status.textContent = say(features ? "about_features" : "no_features");
    if (!features) return;
    offer(this.method, features.methods, say, "method_");
    this.method.value = selection.w;
    const colours = ["position", "text", "kind", ...(features.labels ? ["label"] : [])];
    offer(this.paint, colours, say, "colour_");
    if (!colours.includes(selection.a)) selection.a = "position";
    this.paint.value = selection.a;
    selection.p = Math.min(selection.p, features.points.length - 1);
    this.point.max = features.points.length - 1;
    this.point.value = selection.p;
    const [point, layer] = features.points[selection.p];
    this.name.textContent = layer ? say("point_in_layer", {layer, point: say(`point_${point}`)}) : say(`point_${point}`);
    this.point.setAttribute("aria-valuetext", this.name.textContent);
    const texts = [...new Set(features.tokens.map(({text}) => text))];
    const longest = Math.max(1, ...features.tokens.map(({position}) => position));
    const colour = {
      position: ({position}) => shade(position / longest),
      text: ({text}) => categories[texts.indexOf(text) % categories.length],
      kind: ({special, evidence}) => categories[special ? 0 : evidence ? 6 : 4],
      label: ({text}) => categories[(features.labels?.[text] ?? 0) % categories.length],
    }[selection.a];
    const dots = features.tokens.map((token) => ({
      colour: colour(token),
      pale: false,
      hollow: token.text !== selection.t,
      token: token.text === selection.t ? token.position : null,
      name: token.token,
    }));
    const chosen = features.tokens.findIndex(({text, position}) => text === selection.t && position === selection.q);
    const states = shown.states.filter((state) => shown.laidOut[state]);
    const all = fitted(states.map((state) => part(shown.laidOut[state], selection.p)));
    const panels = states.map((state, number) => {
      const trust = features.states[state].trust[selection.p];
      return {
        title: this.explorer.stateName(state),
        ...trustOf(trust, say),
        places: all[number],
        lines: [],
        labels: chosen < 0 ? [] : [{point: chosen, text: features.tokens[chosen].token, strong: true}],
      };
    });
    this.panels.draw(panels, dots);
  }
}

const TRUSTED = 0.8; // of what is near on the map, near where it comes from

/** How far a map can be trusted, in words; of long texts it is not known. */
function trustOf(trust, say) {
  const told = Object.entries(trust).map(([name, value]) => `${say(`trust_${name}`)} ${value.toFixed(2)}`);
  return {note: told.join(" · "), trusted: (trust.trustworthiness ?? 1) >= TRUSTED};
}
