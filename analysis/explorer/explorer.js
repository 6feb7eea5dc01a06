// The explorer: one selection, which every view reads and writes, and the files that it needs.

const STEPS_BACK = ["experiment", "stream", "text", "query", "layer", "head"]; // that Back undoes

/** All of it, in an element that holds its index, words and opening selection as JSON. */
class Explorer {
  constructor(root) {
    const {index, words, opening, files, colours} = JSON.parse(root.querySelector("script").textContent);
    this.index = index;
    this.languages = words;
    this.words = words[document.documentElement.lang.slice(0, 2)];
    this.categories = colours.categories; // as the figures have them
    this.scale = colours.scale;
    this.opening = named(opening);
    this.files = new Files(files);
    this.root = root;
    this.known = {}; // colours of the page by their names
    this.problem = null; // a message and what it is said of
    this.preferred = ""; // state that the reader chose last, which not every experiment has
    this.#build();
    this.#observe();
    this.ready = this.#follow();
  }

  say = (name, given = {}) => {
    const word = this.words[name];
    if (word === undefined) throw new Error(`the explorer has no word ${name}`);
    return word.replace(/\{(\w+)\}/g, (_, key) => given[key] ?? "");
  };

  /** Go on in another language. */
  speak(language) {
    this.words = this.languages[language];
    this.body.remove();
    this.#build();
    if (this.shown) this.#draw();
  }

  #observe() {
    addEventListener("hashchange", () => {
      if (location.hash !== addressOf(this.asked)) this.ready = this.#follow();
    });
    // The reader's choice of light and dark is an attribute in the preview, a class in Quarto.
    const recolour = () => {
      this.known = {};
      if (this.shown) this.#draw();
    };
    new MutationObserver(recolour).observe(document.documentElement, {attributeFilter: ["data-theme"]});
    new MutationObserver(recolour).observe(document.body, {attributeFilter: ["class"]});
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
    this.root.addEventListener("keydown", rove);
  }

  // --- the selection ------------------------------------------------------------------------------
  // `asked` is what the reader wants to see; `selection`, which all views draw, is what `shown` is of.

  /** Change the selection, what is shown, and the address. */
  select(changes) {
    const moved = ["experiment", "text", "stream"].some((key) => key in changes);
    if ("state" in changes) this.preferred = changes.state;
    const state = "experiment" in changes ? this.preferred : this.asked.state;
    this.#ask({...this.asked, state, ...(moved ? {query: 0, key: null} : {}), ...changes});
    this.ready = this.#load({step: STEPS_BACK.some((key) => key in changes)});
    return this.ready;
  }

  /** Choose a key, or none if it is the one that is chosen. */
  chooseKey(key) {
    return this.select({key: key === this.selection.key ? null : key});
  }

  /** Show what the address names. */
  #follow() {
    const unknown = this.#ask(selectionOf(location.hash, this.opening));
    this.preferred = this.asked.state;
    return this.#load({unknown});
  }

  /** Ask for the nearest selection that there is; gives the names that there are not. */
  #ask(selection) {
    const {selection: asked, unknown} = nearest(selection, this.index, this.opening);
    this.asked = asked;
    return unknown;
  }

  /** Put the selection into the address, which a frame of a notebook does not have. */
  #remember(step) {
    if (location.protocol === "about:") return;
    const address = addressOf(this.selection);
    if (location.hash !== address) history[step ? "pushState" : "replaceState"](null, "", address);
    // The page in the other language shows the same.
    for (const link of document.querySelectorAll("a[hreflang]")) link.hash = address;
  }

  /** A state in words; of a model that has one alone, there is nothing to tell apart. */
  stateName(state) {
    const {states, models} = this.index.find(({name}) => name === this.selection.experiment);
    if (models) return state;
    return this.say(states.length > 1 ? `state_${state}` : "state_only");
  }

  /** The same in a word. */
  shortName(state) {
    const {models} = this.index.find(({name}) => name === this.selection.experiment);
    return models && state !== "both" ? state : this.say(`state_short_${state}`);
  }

  // --- what it needs -------------------------------------------------------------------------------

  /** Show what is asked for, unless the reader has gone on meanwhile. */
  async #load({unknown = [], step = false}) {
    const ticket = (this.ticket = Symbol("load"));
    const opens = !this.shown && !location.hash;
    try {
      const shown = await this.#read(this.asked);
      if (this.ticket !== ticket) return;
      this.shown = shown;
      this.selection = this.asked = shown.selection;
      this.problem = unknown.length ? ["unknown", {name: unknown.join(", ")}] : null;
      if (!opens) this.#remember(step);
      this.#draw();
    } catch (error) {
      if (this.ticket !== ticket) return;
      if (!(error instanceof MissingFile)) throw error;
      this.problem = ["failed", {name: error.message}];
      // What is shown stays, and what is asked for next starts from there.
      this.asked = this.selection ?? this.asked;
      this.body.hidden = false;
      this.#tell();
    }
  }

  /** Read all that the views show of a selection, which gets what the files tell of it. */
  async #read(asked) {
    const {files} = this;
    const selection = {...asked};
    const experiment = this.index.find(({name}) => name === selection.experiment);
    const stream = experiment.streams.find(({name}) => name === selection.stream);
    const states = selection.state === "both" ? experiment.states : [selection.state];
    const base = [experiment.name, stream.name].filter(Boolean).join("/");
    const ofText = `${base}/text-${selection.text}`;
    // Maps are of several texts together, or of each alone.
    const ofMaps = {together: base, alone: ofText}[stream.map];
    const place = `${selection.layer}-${selection.head}`;
    const [text, overTexts] = await Promise.all([files.load(ofText), stream.numbers ? files.load(`${base}/numbers`) : null]);
    selection.query = below(selection.query, text.queries.tokens.length) ?? 0;
    selection.key = below(selection.key, text.keys.tokens.length);
    const cells = [...PICTURES.slice(0, ofMaps ? 2 : 1), ...Object.keys(text.heads), ...Object.keys(overTexts ?? {}).map((name) => `mean-${name}`)];
    if (!cells.includes(selection.cells)) selection.cells = "attention";
    if (!{map: ofMaps, features: stream.features, lines: true}[selection.view]) selection.view = "lines";
    if (stream.features && !stream.features.includes(selection.featureMethod)) [selection.featureMethod] = stream.features;

    const block = Math.floor(selection.query / text.block);
    const ofStates = async (name, read) =>
      Object.fromEntries(await Promise.all(states.map(async (state) => [state, await read(await files.load(`${name}-${state}`))])));
    const [thumbnails, maps, heads, rows, predictions, joint, features] = await Promise.all([
      ofStates(`${ofText}/all`, ({attention}) => unpack(attention)),
      selection.cells === "map" ? ofStates(`${ofMaps}/maps`, ({places}) => unpack(places)) : null,
      ofStates(`${ofText}/head-${place}`, unpackAll),
      ofStates(`${ofText}/rows-${selection.layer}-${block}`, unpackAll),
      this.#predictions(text, states),
      ofMaps ? this.#jointMap(selection, ofMaps, place, states) : null,
      selection.view === "features" ? this.#features(selection, base, states) : null,
    ]);
    // A token is the same wherever it stands by its place among the keys: of a source, then a target.
    const before = text.keys.tokens.length - text.queries.tokens.length;
    return {
      selection, experiment, stream, states, text, overTexts, thumbnails, maps, heads, rows, predictions,
      rowsFrom: block * text.block,
      inText: text.heads,
      ofQuery: (query) => before + query,
      ...joint,
      ...features,
    };
  }

  /** What the prediction owes to tokens, of the states that predict. */
  async #predictions(text, states) {
    const predicting = states.filter((state) => Object.keys(text.states[state].prediction).length);
    return Object.fromEntries(await Promise.all(predicting.map(async (state) => [state, await unpackAll(text.states[state].prediction)])));
  }

  /** The map of queries and keys of a head, by the chosen method. */
  async #jointMap(selection, ofMaps, place, states) {
    const [map, points] = await Promise.all([this.files.load(`${ofMaps}/map-${place}`), this.files.load(`${ofMaps}/points`)]);
    const methods = Object.keys(map.methods);
    if (!methods.includes(selection.mapMethod)) selection.mapMethod = methods.at(-1);
    const mapColours = ["kind", "text", "position", "norm", "part", ...(points.tokens[0].frequency === undefined ? [] : ["frequency"])];
    if (!mapColours.includes(selection.mapColours)) [selection.mapColours] = mapColours;
    const method = map.methods[selection.mapMethod];
    const unpacked = async (content, read) =>
      Object.fromEntries(await Promise.all(states.filter((state) => content[state]).map(async (state) => [state, await unpack(read(content[state]))])));
    return {map, points, mapColours, places: await unpacked(method, ({places}) => places), norms: await unpacked(map.norms, (norms) => norms)};
  }

  /** Feature maps of the chosen method: all points. */
  async #features(selection, base, states) {
    const features = await this.files.load(`${base}/features-${selection.featureMethod}`);
    selection.point = Math.min(selection.point, features.points.length - 1);
    const featureColours = ["position", "text", "part", ...(features.labels ? ["label"] : [])];
    if (!featureColours.includes(selection.featureColours)) [selection.featureColours] = featureColours;
    const laidOut = {};
    for (const state of states) if (features.states[state]) laidOut[state] = await unpack(features.states[state].places);
    return {features, featureColours, laidOut};
  }

  // --- what is seen --------------------------------------------------------------------------------

  #build() {
    const {say} = this;
    this.failure = element("p", {role: "alert", className: "failure", hidden: true});
    this.bar = new TextBar(this);
    this.heads = new HeadGrid(this);
    this.rows = new TokenRows(this);
    this.product = new ProductStrip(this);
    this.table = new TextTable(this);
    this.views = {map: new JointMap(this), features: new FeatureMap(this), lines: new TokenLines(this)};
    this.middle = element("section", {className: "middle", ariaLabel: say("pictures")});
    this.tabs = element("div", {role: "tablist", className: "view-tabs", ariaLabel: say("pictures")});
    for (const view of Object.keys(this.views)) {
      const tab = element("button", {type: "button", role: "tab", textContent: say(`view_${view}`), onclick: () => this.select({view})});
      Object.assign(tab.dataset, {view, focus: `tab-${view}`});
      tab.id = `explorer-tab-${view}`;
      this.tabs.append(tab);
    }
    this.tabs.addEventListener("keydown", (event) => this.#turn(event));
    this.panel = element("div", {role: "tabpanel"});
    this.savePicture = element("button", {type: "button", textContent: say("save_picture"), onclick: () => this.#savePicture()});
    this.middle.append(this.tabs, this.panel, this.savePicture);
    // On a phone one view at a time.
    this.phone = element("div", {className: "views-of-phone", role: "group", ariaLabel: say("views")});
    this.columns = element("div", {className: "views"});
    const columns = [["heads", this.heads.element], ["pictures", this.middle], ["rows", this.rows.element]];
    for (const [name, column] of columns) {
      const button = element("button", {type: "button", textContent: say(name), onclick: () => this.#turnTo(name)});
      button.dataset.view = name;
      column.dataset.view = name;
      this.phone.append(button);
      this.columns.append(column);
    }
    this.notice = this.root.querySelector(".notice");
    this.body = element("div", {className: "body"});
    this.body.hidden = !this.shown; // nothing moves while it fills
    this.body.append(this.failure, this.bar.element, this.phone, this.columns, this.product.element, this.table.element);
    this.root.append(this.body);
    this.#turnTo("rows");
  }

  #turnTo(name) {
    for (const button of this.phone.children) button.ariaPressed = button.dataset.view === name;
    this.columns.dataset.shown = name;
  }

  /** Arrow keys go from tab to tab. */
  #turn(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step) return;
    const names = [...this.tabs.children].filter((tab) => !tab.hidden).map(({dataset}) => dataset.view);
    this.select({view: names[(names.indexOf(this.selection.view) + step + names.length) % names.length]});
  }

  #draw() {
    const {shown, selection} = this;
    const focused = this.root.contains(document.activeElement) && document.activeElement.dataset.focus;
    this.#notice();
    this.body.hidden = false;
    this.#tell();
    this.bar.draw(shown);
    this.heads.draw(shown);
    const view = this.views[selection.view];
    if (this.panel.firstChild !== view.element) this.panel.replaceChildren(view.element);
    const there = {map: shown.stream.map, features: shown.stream.features, lines: true};
    for (const tab of this.tabs.children) {
      const chosen = tab.dataset.view === selection.view;
      tab.hidden = !there[tab.dataset.view];
      tab.ariaSelected = chosen;
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) this.panel.setAttribute("aria-labelledby", tab.id);
    }
    view.draw(shown);
    this.savePicture.hidden = !view.panels;
    this.rows.draw(shown);
    this.product.draw(shown);
    this.table.draw(shown);
    this.root.setAttribute("aria-busy", "false");
    if (!focused) return;
    // Who chose by the keyboard goes on from the same place; of tabs, from the one that is chosen.
    const name = focused.startsWith("tab-") ? `tab-${selection.view}` : focused;
    this.root.querySelector(`[data-focus="${CSS.escape(name)}"]`)?.focus({preventScroll: true});
  }

  /** Say what to notice in the opening view; of any other, which key the token reads most. */
  #notice() {
    if (!this.notice) return;
    const {shown, selection} = this;
    const named = ["experiment", "stream", "text", "layer", "head", "query", "key"];
    this.told ??= this.notice.textContent;
    if (named.every((key) => selection[key] === {...USUAL, ...this.opening}[key])) {
      this.notice.textContent = this.told;
      return;
    }
    const rows = shown.states.map((state) => part(shown.heads[state].attention, selection.query));
    const key = rows.at(-1).reduce((most, weight, key, row) => (weight > row[most] ? key : most), 0);
    // Of two states, the key that is read most in the second.
    this.notice.textContent = this.say(rows.length > 1 ? "notice_both" : "notice", {
      head: this.say("head_name", selection),
      query: shown.text.queries.tokens[selection.query],
      key: shown.text.keys.tokens[key],
      weight: percent(rows.at(-1)[key]),
      before: percent(rows[0][key]),
      state: this.stateName(shown.states.at(-1)),
    });
  }

  /** Say what could not be shown. */
  #tell() {
    this.failure.hidden = !this.problem;
    this.failure.textContent = this.problem ? this.say(...this.problem) : "";
    this.root.setAttribute("aria-busy", "false");
  }

  /** Mark a token, by its place among the keys, wherever it stands, while somebody points at it. */
  preview(token) {
    for (const one of this.root.querySelectorAll(".pointed")) one.classList.remove("pointed");
    if (token === null) return;
    for (const one of this.root.querySelectorAll(`[data-token="${token}"]`)) one.classList.add("pointed");
  }

  #savePicture() {
    const {experiment, text, layer, head, view} = this.selection;
    save(this.views[view].panels.picture().toDataURL("image/png"), `${experiment}-${text}-${layer}-${head}-${view}.png`);
  }

  // --- colours -------------------------------------------------------------------------------------

  /** Colours of the page by their names, as `[red, green, blue]`. */
  colours(...names) {
    return names.map((name) => (this.known[name] ??= this.#colour(name)));
  }

  /** Ask the browser, which works out the style of the page for it: once, until the theme changes. */
  #colour(name) {
    this.probe ??= this.root.appendChild(element("i", {className: "probe", ariaHidden: "true"}));
    this.probe.style.color = `var(--${name})`;
    const [red, green, blue] = getComputedStyle(this.probe).color.match(/[\d.]+/g).map(Number);
    return [red, green, blue];
  }

  /** A colour for a number in [0, 1]. */
  shade = (share) => this.scale[Math.round(Math.min(1, Math.max(0, share)) * (this.scale.length - 1))];
}

for (const root of document.querySelectorAll(".explorer")) root.explorer = new Explorer(root);
