// The explorer: one selection, which every view reads and writes, and the files that it needs.

/** All of it, in an element that holds its index, words and opening selection as JSON. */
class Explorer {
  constructor(root) {
    const {index, words, opening, files, colours} = JSON.parse(root.querySelector("script").textContent);
    this.index = index;
    this.languages = words;
    this.words = words[document.documentElement.lang.slice(0, 2)];
    this.categories = colours.categories; // as the figures have them
    this.scale = colours.scale;
    this.opening = opening;
    this.files = new Files(files);
    this.say = (name, given = {}) => {
      const word = this.words[name];
      if (word === undefined) throw new Error(`the explorer has no word ${name}`);
      return word.replace(/\{(\w+)\}/g, (_, key) => given[key] ?? "");
    };
    this.root = root;
    this.known = {}; // colours by their names
    this.selection = this.#allowed(selectionOf(location.hash, opening));
    this.#build();
    addEventListener("hashchange", () => this.#follow());
    // The reader's choice of light and dark is an attribute in the preview, a class in Quarto.
    const redraw = () => this.shown && this.#draw();
    const recolour = () => {
      this.known = {};
      redraw();
    };
    new MutationObserver(recolour).observe(document.documentElement, {attributeFilter: ["data-theme"]});
    new MutationObserver(recolour).observe(document.body, {attributeFilter: ["class"]});
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
    this.resized = new ResizeObserver(debounced(redraw));
    this.resized.observe(this.middle);
    this.ready = this.#load();
  }

  /** Go on in another language. */
  speak(language) {
    this.words = this.languages[language];
    this.resized.disconnect();
    this.body.remove();
    this.#build();
    this.resized.observe(this.middle);
    if (this.shown) this.#draw();
  }

  // --- the selection ------------------------------------------------------------------------------

  /** Change the selection, the address, and what is shown. */
  select(changes) {
    const before = this.selection;
    const moved = changes.e !== undefined || changes.t !== undefined || changes.x !== undefined;
    this.selection = this.#allowed({...before, ...(moved && !("q" in changes) ? {q: 0, k: null} : {}), ...changes});
    history.replaceState(null, "", addressOf(this.selection));
    this.ready = this.#load();
    return this.ready;
  }

  #follow() {
    if (location.hash === addressOf(this.selection)) return;
    this.selection = this.#allowed(selectionOf(location.hash, this.opening));
    this.ready = this.#load();
  }

  /** The nearest selection that there is. */
  #allowed(selection) {
    const known = (list, name) => list.find((one) => one.name === name || one.id === name);
    let experiment = known(this.index, selection.e);
    this.unknown = selection.e && !experiment ? selection.e : "";
    if (!experiment) {
      selection = {...DEFAULTS, ...this.opening};
      experiment = known(this.index, selection.e) ?? this.index[0];
    }
    const text = known(experiment.texts, selection.t) ?? experiment.texts[0];
    const stream = known(experiment.streams, selection.x) ?? experiment.streams[0];
    const states = experiment.states;
    const inside = (number, most) => Math.min(most, Math.max(1, Math.round(number)));
    const state = states.includes(selection.s) || (selection.s === "both" && states.length > 1) ? selection.s : states.at(-1);
    return {
      ...selection,
      e: experiment.name,
      t: text.id,
      x: stream.name,
      l: selection.l ? inside(selection.l, stream.layers) : stream.layers,
      h: inside(selection.h, stream.heads),
      s: state,
    };
  }

  /** A state in words; of a model that has one alone, there is nothing to tell apart. */
  stateName(state) {
    const {states} = this.index.find(({name}) => name === this.selection.e);
    return states.length > 1 ? (this.words[`state_${state}`] ?? state) : this.say("state_only");
  }

  // --- what it needs -------------------------------------------------------------------------------

  async #load() {
    const ticket = (this.ticket = Symbol("load"));
    try {
      const shown = await this.#read();
      if (this.ticket !== ticket) return; // the reader has gone on
      this.shown = shown;
      this.failure.hidden = !this.unknown;
      if (this.unknown) this.failure.textContent = this.say("unknown", {name: this.unknown});
      this.#draw();
    } catch (error) {
      this.body.hidden = false;
      this.root.setAttribute("aria-busy", "false");
      if (!(error instanceof MissingFile)) throw error;
      this.failure.hidden = false;
      this.failure.textContent = this.say("failed", {name: error.message});
    }
  }

  async #read() {
    const {selection, files} = this;
    const experiment = this.index.find(({name}) => name === selection.e);
    const stream = experiment.streams.find(({name}) => name === selection.x);
    const states = selection.s === "both" ? experiment.states : [selection.s];
    const base = [experiment.name, stream.name].filter(Boolean).join("/");
    const textName = `${base}/text-${selection.t}`;
    const place = `${selection.l}-${selection.h}`;
    const text = await files.load(textName);
    const {tokens} = text.queries;
    selection.q = Math.min(Math.max(0, selection.q), tokens.length - 1);
    if (selection.k !== null && !(selection.k < text.keys.tokens.length)) selection.k = null;
    const block = Math.floor(selection.q / text.block);
    const ofStates = async (name, read) =>
      Object.fromEntries(await Promise.all(states.map(async (state) => [state, await read(await files.load(`${name}-${state}`))])));
    // Maps are of several texts together, or of each alone.
    const placed = {together: base, alone: textName}[stream.map];
    const feature = selection.v === "features" && experiment.features && selection.x === experiment.streams[0].name;
    const [thumbnails, maps, heads, rows, overTexts, map, points, features] = await Promise.all([
      ofStates(`${textName}/all`, ({attention}) => unpack(attention)),
      placed && selection.c === "map" ? ofStates(`${placed}/maps`, ({places}) => unpack(places)) : null,
      ofStates(`${textName}/head-${place}`, unpackAll),
      ofStates(`${textName}/rows-${selection.l}-${block}`, unpackAll),
      stream.numbers ? files.load(`${base}/numbers`) : null,
      placed ? files.load(`${placed}/map-${place}`) : null,
      placed ? files.load(`${placed}/points`) : null,
      feature ? this.#features(experiment, base, states) : null,
    ]);
    const predictions = {};
    for (const state of states) predictions[state] = await unpackAll(text.states[state].prediction);
    const shown = {
      experiment, stream, states, text, thumbnails, maps, heads, rows, overTexts, map, points, predictions,
      rowsFrom: block * text.block,
      inText: text.heads,
      ...features,
    };
    if (map) {
      const method = map.methods[selection.m] ?? Object.values(map.methods).at(-1);
      const of = (content) => states.filter((state) => content[state]);
      shown.places = Object.fromEntries(await Promise.all(of(method).map(async (state) => [state, await unpack(method[state].places)])));
      shown.norms = Object.fromEntries(await Promise.all(of(map.norms).map(async (state) => [state, await unpack(map.norms[state])])));
    }
    return shown;
  }

  /** Feature maps of one method: all points, of the states that are shown. */
  async #features(experiment, base, states) {
    const {methods} = experiment.features;
    if (!methods.includes(this.selection.w)) this.selection.w = methods[0];
    const content = await this.files.load(`${base}/features-${this.selection.w}`);
    const laidOut = {};
    for (const state of states) if (content.states[state]) laidOut[state] = await unpack(content.states[state].places);
    return {features: {...content, methods}, laidOut};
  }

  // --- what is seen --------------------------------------------------------------------------------

  #build() {
    const {say} = this;
    this.failure = element("p", {role: "alert", className: "failure", hidden: true});
    this.bar = new TextBar(this);
    this.heads = new HeadGrid(this);
    this.rows = new TokenRows(this);
    this.product = new ProductStrip(this);
    this.views = {map: new JointMap(this), features: new FeatureMap(this), lines: new TokenLines(this)};
    this.middle = element("section", {className: "middle", ariaLabel: say("pictures")});
    this.tabs = element("div", {role: "tablist", className: "view-tabs", ariaLabel: say("pictures")});
    for (const name of Object.keys(this.views)) {
      const tab = element("button", {type: "button", role: "tab", textContent: say(`view_${name}`), onclick: () => this.select({v: name})});
      tab.dataset.view = name;
      tab.id = `explorer-tab-${name}`;
      this.tabs.append(tab);
    }
    this.tabs.addEventListener("keydown", (event) => this.#turn(event));
    this.panel = element("div", {role: "tabpanel"});
    const picture = element("button", {type: "button", textContent: say("save_picture"), onclick: () => this.#savePicture()});
    this.savePicture = picture;
    this.middle.append(this.tabs, this.panel, picture);
    this.table = new TextTable(this);
    // On a phone one view at a time.
    this.phone = element("div", {className: "views-of-phone", role: "group", ariaLabel: say("views")});
    this.columns = element("div", {className: "views"});
    const views = [["heads", this.heads.element], ["pictures", this.middle], ["rows", this.rows.element]];
    for (const [name, view] of views) {
      const button = element("button", {type: "button", textContent: say(name), onclick: () => this.#turnTo(name)});
      button.dataset.view = name;
      view.dataset.view = name;
      this.phone.append(button);
      this.columns.append(view);
    }
    this.notice = this.root.querySelector(".notice");
    this.body = element("div", {className: "body"});
    this.body.hidden = !this.shown; // nothing moves while it fills
    this.body.append(this.failure, this.bar.element, this.phone, this.columns, this.product.element, this.table.element);
    this.root.append(this.body);
    this.#turnTo("rows");
  }

  #turnTo(name) {
    for (const one of [...this.phone.children]) one.ariaPressed = one.dataset.view === name;
    this.columns.dataset.shown = name;
    if (this.shown && name === "pictures") this.#draw();
  }

  #turn(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step) return;
    const names = [...this.tabs.children].filter((tab) => !tab.hidden).map(({dataset}) => dataset.view);
    const next = names[(names.indexOf(this.selection.v) + step + names.length) % names.length];
    this.select({v: next}).then(() => this.tabs.querySelector(`[data-view=${next}]`).focus());
  }

  #draw() {
    const {shown, selection} = this;
    if (!(selection.v in this.views)) selection.v = "map";
    if (selection.v === "map" && !shown.stream.map) selection.v = "lines";
    if (selection.v === "features" && !shown.experiment.features) selection.v = "lines";
    // What is said of the opening view is said of no other.
    const {e, t, l, h} = {...DEFAULTS, ...this.opening};
    const opening = selection.e === e && selection.t === t && selection.l === l && selection.h === h;
    if (this.notice) {
      // Its room stays when a reader goes on, so that nothing moves from under the pointer.
      if (opening || this.body.hidden) this.notice.hidden = !opening;
      this.notice.style.visibility = opening ? "" : "hidden";
    }
    this.body.hidden = false;
    this.bar.draw(shown);
    this.heads.draw(shown);
    const view = this.views[selection.v];
    if (this.panel.firstChild !== view.element) this.panel.replaceChildren(view.element);
    for (const tab of this.tabs.children) {
      const there = {map: shown.stream.map, features: shown.experiment.features, lines: true};
      tab.hidden = !there[tab.dataset.view];
      const chosen = tab.dataset.view === selection.v;
      tab.ariaSelected = chosen;
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) this.panel.setAttribute("aria-labelledby", tab.id);
    }
    view.draw(shown);
    this.savePicture.hidden = !view.panels?.panels.length;
    this.rows.draw(shown);
    this.product.draw(shown);
    this.table.draw(shown);
    this.root.setAttribute("aria-busy", "false");
  }

  /** Mark a token wherever it stands, as long as somebody points at it. */
  preview(token) {
    for (const one of this.root.querySelectorAll(".pointed")) one.classList.remove("pointed");
    if (token === null) return;
    for (const one of this.root.querySelectorAll(`[data-token="${token}"]`)) one.classList.add("pointed");
  }

  #savePicture() {
    const {e, t, l, h, v} = this.selection;
    save(this.views[v].panels.picture().toDataURL("image/png"), `${e}-${t}-${l}-${h}-${v}.png`);
  }

  // --- colours -------------------------------------------------------------------------------------

  /** Colours of the page by their names, as `[red, green, blue]`. */
  colours(...names) {
    return names.map((name) => (this.known[name] ??= this.#ask(name)));
  }

  /** Ask the browser, which works out the style of the page for it: once, until the theme changes. */
  #ask(name) {
    this.probe ??= this.root.appendChild(element("i", {className: "probe", ariaHidden: "true"}));
    this.probe.style.color = `var(--${name})`;
    const [red, green, blue] = getComputedStyle(this.probe).color.match(/[\d.]+/g).map(Number);
    return [red, green, blue];
  }

  /** A colour for a number in [0, 1]. */
  shade = (share) => this.scale[Math.round(Math.min(1, Math.max(0, share)) * (this.scale.length - 1))];
}

/** What is chosen of experiments, texts, streams and states, and the tokens of the text. */
class TextBar {
  constructor(explorer) {
    this.explorer = explorer;
    const {say, index} = explorer;
    const choose = (key, number) => (event) => explorer.select({[key]: number ? Number(event.target.value) : event.target.value});
    this.element = element("div", {className: "bar-of-text"});
    this.experiment = element("select", {onchange: choose("e")});
    this.experiment.append(...index.map(({name}) => new Option(name, name)));
    this.text = element("select", {className: "long", onchange: choose("t", true)});
    this.stream = element("select", {onchange: choose("x")});
    this.states = element("div", {role: "group", className: "states", ariaLabel: say("states")});
    this.streamBox = labelled(say("stream"), this.stream);
    const experimentBox = labelled(say("experiment"), this.experiment);
    experimentBox.hidden = index.length < 2;
    this.tokens = element("div", {className: "tokens", role: "group", ariaLabel: say("tokens")});
    this.share = element("button", {type: "button", textContent: say("copy_address"), onclick: () => this.#copy()});
    const choices = element("div", {className: "controls"});
    choices.append(experimentBox, labelled(say("text"), this.text), this.streamBox, this.states, this.share);
    this.legend = element("p", {className: "soft", textContent: say("about_evidence")});
    this.element.append(choices, this.tokens, this.legend);
  }

  async #copy() {
    const {say} = this.explorer;
    const address = new URL(addressOf(this.explorer.selection), location.href).href;
    history.replaceState(null, "", addressOf(this.explorer.selection));
    try {
      await navigator.clipboard.writeText(address);
      this.share.textContent = say("copied");
    } catch {
      this.share.textContent = say("in_the_address");
    }
    setTimeout(() => (this.share.textContent = say("copy_address")), 2000);
  }

  draw({experiment, text}) {
    const {say, selection} = this.explorer;
    this.experiment.value = experiment.name;
    if (this.shown !== experiment) {
      this.shown = experiment;
      this.text.replaceChildren(...experiment.texts.map(({id, title}) => new Option(title, id)));
      this.stream.replaceChildren(...experiment.streams.map(({name}) => new Option(say(`stream_${name || "whole"}`), name)));
      this.streamBox.hidden = experiment.streams.length < 2;
      const names = experiment.states.length > 1 ? [...experiment.states, "both"] : [];
      this.states.replaceChildren(...names.map((state) => {
        const button = element("button", {type: "button", textContent: this.explorer.stateName(state), onclick: () => this.explorer.select({s: state})});
        button.dataset.state = state;
        return button;
      }));
    }
    this.text.value = selection.t;
    this.stream.value = selection.x;
    for (const button of this.states.children) button.ariaPressed = button.dataset.state === selection.s;
    const {tokens, special, evidence} = text.queries;
    this.legend.hidden = !evidence.length;
    const kinds = {special: new Set(special), evidence: new Set(evidence)};
    const focused = this.tokens.contains(document.activeElement);
    this.tokens.replaceChildren(...tokens.map((token, place) => {
      const button = tokenButton(this.explorer, token, place, place === selection.q, (q) => this.explorer.select({q}));
      for (const [kind, places] of Object.entries(kinds)) if (places.has(place)) button.classList.add(kind);
      return button;
    }));
    if (focused) this.tokens.children[selection.q].focus();
  }
}

/** The selection in words and numbers, for those who do not see the pictures. */
class TextTable {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = element("details", {className: "as-text"});
    this.summary = element("summary", {textContent: explorer.say("as_text")});
    this.content = element("div");
    this.element.append(this.summary, this.content);
    this.element.addEventListener("toggle", () => explorer.shown && this.draw(explorer.shown));
  }

  draw(shown) {
    if (!this.element.open) return;
    const {say, selection, heads} = this.explorer;
    const facts = [
      [say("experiment"), selection.e],
      [say("text"), shown.text.text],
      [say("states"), shown.states.map((state) => this.explorer.stateName(state)).join(", ")],
      [say("head"), say("head_name", {layer: selection.l, head: selection.h})],
      [say("query"), shown.text.queries.tokens[selection.q]],
      [say("key"), selection.k === null ? "–" : shown.text.keys.tokens[selection.k]],
    ];
    const list = element("dl");
    for (const [name, value] of facts) list.append(element("dt", {textContent: name}), element("dd", {textContent: value}));
    const tables = [heads.table(shown)].filter(Boolean).map(({head, rows}) => {
      const table = element("table");
      const line = (cells, tag) => {
        const row = element("tr");
        row.append(...cells.map((cell) => element(tag, {textContent: cell})));
        return row;
      };
      table.append(line(head, "th"), ...rows.map((row) => line(row, "td")));
      return table;
    });
    this.content.replaceChildren(list, ...tables);
  }
}

// --- small things --------------------------------------------------------------------------------

function element(tag, properties = {}) {
  const {role, ...others} = properties;
  const made = Object.assign(document.createElement(tag), others);
  if (role) made.setAttribute("role", role);
  if (properties.ariaHidden) made.setAttribute("aria-hidden", "true");
  return made;
}

function svgElement(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function labelled(text, control) {
  const label = element("label");
  label.append(element("span", {textContent: text}), " ", control);
  return label;
}

/** Give a list its options, unless it has them. */
function offer(select, names, say, prefix) {
  if ([...select.options].map(({value}) => value).join() === names.join()) return;
  select.replaceChildren(...names.map((name) => new Option(name ? say(prefix + name) : "–", name)));
}

/** A token that can be chosen, and pointed at. */
function tokenButton(explorer, token, place, chosen, choose) {
  const button = element("button", {type: "button", className: "token", textContent: token, ariaPressed: chosen});
  button.dataset.token = place;
  button.onclick = () => choose(place);
  button.onpointerenter = ({pointerType}) => pointerType === "mouse" && explorer.preview(place);
  button.onpointerleave = () => explorer.preview(null);
  return button;
}

function percent(share) {
  return `${(100 * share).toFixed(1)}%`.replace("-", "−");
}

/** Percent without its sign, as columns of shares have it. */
function tenths(share, sign) {
  const written = (100 * share).toFixed(1).replace("-", "−");
  return sign && share > 0 ? `+${written}` : written;
}

function signed(value, digits) {
  return value.toFixed(digits).replace("-", "−");
}

/** Least and largest of some numbers. */
function extremes(values) {
  const known = values.filter((value) => typeof value === "number");
  return [Math.min(0, ...known), Math.max(0, ...known, 1e-9)];
}

/** Background of a number: stronger the farther it is from nothing, in the tone of its sign. */
function tint(value, low, high) {
  if (typeof value === "string") return `color-mix(in srgb, var(--family-${value.replace("+", "-")}, var(--rule)) 45%, transparent)`;
  if (typeof value !== "number") return "";
  const share = Math.abs(value) / Math.max(high, -low);
  return `color-mix(in srgb, var(--${value < 0 ? "less" : "more"}-tone) ${Math.round(75 * share)}%, transparent)`;
}

function debounced(work) {
  let frame = 0;
  return () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(work);
  };
}

function save(address, name) {
  element("a", {href: address, download: name}).click();
}

for (const root of document.querySelectorAll(".explorer")) root.explorer = new Explorer(root);
