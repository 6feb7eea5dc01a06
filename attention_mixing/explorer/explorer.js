// The explorer: one selection, which every view reads and writes, and the files that it needs.

const STEPS_BACK = ["experiment", "stream", "text", "query", "layer", "head"]; // that Back undoes
const MOST_HEADS = 5; // that are laid over each other

/** All of it, in an element that holds its index, words and opening selection as JSON. */
class Explorer {
  constructor(root) {
    const {index, words, opening, files, colours, columns} = JSON.parse(root.querySelector("script").textContent);
    this.index = index;
    this.languages = words;
    this.words = words[document.documentElement.lang.slice(0, 2)];
    this.methods = columns; // methods by what they start from; a text has some of them
    this.categories = colours.categories; // as the figures have them
    this.scale = colours.scale;
    this.opening = named(opening);
    this.files = new Files(files);
    this.root = root;
    this.notice = root.querySelector(".notice");
    this.known = {}; // colours of the page by their names
    this.problem = null; // a message and what it is said of
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
    this.failure.remove();
    this.body.remove();
    this.#build();
    this.#tell();
    if (this.shown) this.#draw();
  }

  #observe() {
    addEventListener("hashchange", () => {
      // A link within the page leads elsewhere, and the view stays.
      const leads = location.hash && !isSelection(location.hash);
      if (!leads && location.hash !== this.address()) this.ready = this.#follow();
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
  // `wanted` is all that the reader has chosen, also what the experiment or stream that is shown does
  // not have; `selection`, which all views draw, is what there is of it, and what `shown` is of.

  /** Change what is wanted, what is shown, and the address. */
  select(changes) {
    const moved = ["experiment", "text", "stream"].some((key) => key in changes);
    // A token that is pressed while another text is awaited is none of that text.
    if (!moved && this.awaitsText && ("query" in changes || "key" in changes)) return this.ready;
    const {text, query, key, layer, head, also, pairs} = USUAL;
    // Another text opens on a head and a token that are telling in it.
    const first = {...("experiment" in changes ? {text} : {}), query, key, layer, head, also, pairs};
    // A key that the reader has not chosen is one of the token before.
    const stays = "query" in changes && !this.ownKey ? {key} : {};
    if ("key" in changes) this.ownKey = changes.key !== null;
    this.wanted = {...this.wanted, ...(moved ? first : {}), ...stays, ...changes};
    this.awaitsText ||= moved;
    this.ready = this.#load({step: STEPS_BACK.some((key) => key in changes)});
    return this.ready;
  }

  /** Choose a key, or none if it is the one that is chosen. */
  chooseKey(key) {
    return this.select({key: key === this.wanted.key ? null : key});
  }

  /** Lay a head over the chosen one, or take it away again. */
  overlay({layer, head}) {
    if (layer === this.selection.layer && head === this.selection.head) return this.ready;
    const name = `${layer}.${head}`;
    const others = this.wanted.also.split("~").filter(Boolean);
    const left = others.filter((one) => one !== name);
    return this.select({also: (left.length < others.length ? left : [...others.slice(2 - MOST_HEADS), name]).join("~")});
  }

  /** Show what the address names; where it names no experiment that there is, the opening view. */
  #follow() {
    this.ownKey = false;
    this.wanted = selectionOf(location.hash, this.opening);
    const {experiment} = this.wanted;
    const unknown = experiment && !this.index.some(({name}) => name === experiment) ? {experiment} : {};
    if (unknown.experiment) this.wanted = {...USUAL, ...this.opening};
    return this.#load({followed: true, unknown});
  }

  /** Address of what is shown; of a model that has one state alone, none is named. */
  address() {
    const several = this.shown?.experiment.states.length > 1;
    return addressOf({...this.selection, state: several ? this.selection.state : USUAL.state});
  }

  /** Put the selection into the address, which a frame of a notebook does not have. */
  #remember(step) {
    if (location.protocol === "about:") return;
    const address = this.address();
    if (location.hash !== address) history[step ? "pushState" : "replaceState"](null, "", address);
  }

  /** A state in words; of a model that has one alone, there is nothing to tell apart. */
  stateName(state) {
    const {states, models} = this.shown.experiment;
    if (models) return models[state];
    return this.say(states.length > 1 ? `state_${state}` : "state_only");
  }

  /** The same in a word. */
  shortName(state) {
    const {models} = this.shown.experiment;
    return models && state !== "both" ? state : this.say(`state_short_${state}`);
  }

  // --- what it needs -------------------------------------------------------------------------------

  /**
   * Show what is wanted, unless the reader has gone on meanwhile.
   *
   * @param {{step, followed, unknown}} how Whether Back undoes it; whether it is of an address, and
   *   what of it there is not, which is told.
   */
  async #load({step = false, followed = false, unknown = {}}) {
    const ticket = (this.ticket = Symbol("load"));
    const opens = !this.shown && !isSelection(location.hash);
    this.root.setAttribute("aria-busy", "true");
    try {
      const shown = await this.#read(this.wanted);
      if (this.ticket !== ticket) return;
      this.shown = shown;
      this.selection = shown.selection;
      this.problem = null;
      if (followed) {
        const names = Object.values({...unknown, ...shown.unknown});
        if (names.length) this.problem = ["unknown", {name: names.join(this.say("comma"))}];
        // What there is not is wanted no more.
        for (const key of Object.keys(shown.unknown)) this.wanted[key] = this.selection[key];
      }
      // What was chosen for the reader stays chosen until another text is.
      const chosen = ["layer", "head", "query", "key"].filter((key) => this.wanted[key] === null);
      this.wanted = {...this.wanted, ...Object.fromEntries(chosen.map((key) => [key, this.selection[key]]))};
      this.reached = this.wanted;
      if (!opens) this.#remember(step);
      this.#draw();
      this.#settle();
    } catch (error) {
      if (this.ticket !== ticket) return;
      const missing = error instanceof MissingFile;
      this.problem = [missing ? "failed" : "broken", {name: error.message}];
      // What is shown stays, and what is wanted next starts from there.
      if (this.reached) this.wanted = this.reached;
      if (this.shown && missing) this.#draw();
      this.#settle();
      if (!missing) throw error;
    }
  }

  /** Nothing is awaited any more: say what could not be shown. */
  #settle() {
    this.awaitsText = false;
    this.#tell();
    this.root.setAttribute("aria-busy", "false");
  }

  /** Read all that the views show of what is wanted: of it, what there is. */
  async #read(wanted) {
    const {files} = this;
    const {choice, experiment, stream} = chosenOf(wanted, this.index);
    const {selection, unknown} = choice;
    const states = selection.state === "both" ? experiment.states : [selection.state];
    const base = [experiment.name, stream.name].filter(Boolean).join("/");
    const ofText = `${base}/text-${selection.text}`;
    // Maps are of several texts together, or of each alone.
    const ofMaps = {together: base, alone: ofText}[stream.map];
    const [text, overTexts] = await Promise.all([files.load(ofText), stream.numbers ? files.load(`${base}/numbers`) : null]);
    this.#choosePlace(choice, text, stream);
    const place = `${selection.layer}-${selection.head}`;
    choice.among("sides", text.sides.length ? ["", ...SIDES] : [""]);
    const {marks, ofPairs} = await this.pairs.read(choice, text, ofText, stream, states);
    const inText = {...text.heads, ...ofPairs};
    const numbers = [...Object.keys(inText), ...Object.keys(overTexts ?? {}).map((name) => `mean-${name}`)];
    choice.among("cells", [...picturesOf(stream), ...numbers]);

    const block = Math.floor(selection.query / text.block);
    const ofStates = async (name, read) =>
      Object.fromEntries(await Promise.all(states.map(async (state) => [state, read(await files.load(`${name}-${state}`))])));
    // The chosen head lies over none.
    const others = selection.also.split("~").filter((name) => name && name !== `${selection.layer}.${selection.head}`).map((name) => headOf(name, stream));
    const [thumbnails, maps, heads, over, rows, joint, features, score] = await Promise.all([
      ofStates(`${ofText}/all`, ({attention}) => unpack(attention)),
      selection.cells === "map" ? ofStates(`${ofMaps}/maps`, ({places}) => unpack(places)) : null,
      ofStates(`${ofText}/head-${place}`, unpackAll),
      Promise.all(others.map(({layer, head}) => ofStates(`${ofText}/head-${layer}-${head}`, ({attention}) => unpack(attention)))),
      ofStates(`${ofText}/rows-${selection.layer}-${block}`, unpackAll),
      ofMaps ? this.#jointMap(choice, ofMaps, place, states) : null,
      selection.view === "features" ? this.#features(choice, stream, base, states) : null,
      this.score.read(text, ofText, selection),
    ]);
    const predictions = this.#predictions(text, states);
    const row = selection.query - block * text.block;
    const methods = rows[states[0]];
    const predicting = Object.values(predictions).flatMap(Object.keys);
    const shares = ["head", ...Object.keys(methods)];
    const columns = [...shares, ...predicting];
    const comparable = wanted.compared.split("~").every((name) => ["", ...columns].includes(name));
    choice.among("compared", comparable ? [wanted.compared] : [""]);
    choice.among("order", ["", "difference", ...columns]);
    choice.listed("columns", (name) => columns.includes(name));
    // A token is the same wherever it stands by its place among the keys: of a source, then a target.
    const before = text.keys.tokens.length - text.queries.tokens.length;
    return {
      selection, unknown, experiment, stream, states, text, overTexts, thumbnails, maps, heads, rows, predictions,
      row, // of the query, in `rows`
      // Of every key, whether the query may read it.
      seen: text.visible ? part(unpack(text.visible), selection.layer - 1, selection.query) : new Float32Array(text.keys.tokens.length).fill(1),
      inText,
      marks,
      score,
      // All heads that are shown, the chosen one first: attention by state.
      laidOver: [
        {layer: selection.layer, head: selection.head, attention: Object.fromEntries(states.map((state) => [state, heads[state].attention]))},
        ...others.map((head, number) => ({...head, attention: over[number]})),
      ],
      between: betweenOf(text.sides, selection.sides),
      ofQuery: (query) => before + query,
      ...joint,
      ...features,
    };
  }

  /** Choose head, query and key: where neither reader nor address names them, telling ones. */
  #choosePlace(choice, text, stream) {
    const {selection} = choice;
    const telling = text.telling[selection.state];
    // Columns that an address asks for are of what reaches the last layer.
    selection.layer ??= selection.compared || selection.order || !telling ? stream.layers : telling.layer;
    selection.head ??= telling ? telling.heads[selection.layer - 1] : 1;
    const [query, key] = telling?.of_heads[selection.layer - 1][selection.head - 1] ?? [text.read, null];
    const anyToken = choice.wanted.query === null;
    choice.within("query", 0, text.queries.tokens.length - 1, query);
    choice.within("key", 0, text.keys.tokens.length - 1, anyToken ? key : null);
  }

  /** What the prediction owes to tokens, of the states that predict. */
  #predictions(text, states) {
    const predicting = states.filter((state) => Object.keys(text.states[state].prediction).length);
    return Object.fromEntries(predicting.map((state) => [state, unpackAll(text.states[state].prediction)]));
  }

  /** The map of queries and keys of a head, by the chosen method. */
  async #jointMap(choice, ofMaps, place, states) {
    const [map, points] = await Promise.all([this.files.load(`${ofMaps}/map-${place}`), this.files.load(`${ofMaps}/points`)]);
    const methods = Object.keys(map.methods);
    const method = map.methods[choice.among("mapMethod", methods, methods.at(-1))];
    const mapColours = ["kind", "text", "position", "norm", "part", ...(points.tokens[0].frequency === undefined ? [] : ["frequency"])];
    choice.among("mapColours", mapColours);
    const ofStates = (content, read) =>
      Object.fromEntries(states.filter((state) => content[state]).map((state) => [state, unpack(read(content[state]))]));
    return {map, points, mapColours, places: ofStates(method, ({places}) => places), norms: ofStates(map.norms, (norms) => norms)};
  }

  /** Feature maps of the chosen method: all points. */
  async #features(choice, stream, base, states) {
    const features = await this.files.load(`${base}/features-${choice.among("featureMethod", stream.features)}`);
    choice.within("point", 0, features.points.length - 1, features.points.length - 1);
    const featureColours = ["position", "text", "part", ...(features.labels ? ["label"] : [])];
    choice.among("featureColours", featureColours);
    const laidOut = {};
    for (const state of states) if (features.states[state]) laidOut[state] = unpack(features.states[state].places);
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
    this.score = new ScoreStrip(this);
    this.pairs = new PairMarks(this);
    this.bar.element.append(this.pairs.element);
    this.table = new TextTable(this);
    this.views = {matrix: new AttentionMatrix(this), lines: new TokenLines(this), map: new JointMap(this), features: new FeatureMap(this)};
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
    this.overlaid = element("p", {className: "legend"});
    this.middle.append(this.tabs, this.overlaid, this.panel);
    // On a phone one view at a time.
    this.phone = element("div", {className: "views-of-phone", role: "group", ariaLabel: say("views")});
    this.columns = element("div", {className: "views"});
    const columns = [["heads", this.heads.element], ["pictures", this.middle], ["rows", this.rows.element]];
    for (const [name, column] of columns) {
      const button = element("button", {type: "button", textContent: say(name), onclick: () => this.#turnTo(name)});
      button.dataset.view = name;
      column.dataset.view = name;
      column.prepend(this.#tools(name, column));
      this.phone.append(button);
      this.columns.append(column);
    }
    this.body = element("div", {className: "body"});
    this.body.hidden = !this.shown; // nothing moves while it fills
    this.own = element("section", {className: "own", ariaLabel: say("own_text")});
    this.body.append(this.bar.element, this.phone, this.columns, this.product.element, this.score.element, this.table.element, this.own);
    this.root.append(this.failure, this.body);
    this.#turnTo("rows");
  }

  /** Buttons of a view: all the room for it, and a picture of it. */
  #tools(name, column) {
    const {say} = this;
    const tools = element("div", {className: "tools"});
    const large = element("button", {type: "button", className: "enlarge", onclick: () => this.select({large: this.wanted.large === name ? "" : name})});
    large.dataset.focus = `large-${name}`;
    large.append(icon("M9 2h5v5M14 2 9 7M7 14H2V9M2 14l5-5"));
    const picture = element("button", {type: "button", className: "save-picture", onclick: () => this.#savePicture(name, column)});
    picture.append(icon("M8 2v8M4.5 7 8 10.5 11.5 7M2 13.5h12"));
    for (const [button, word] of [[large, "enlarge"], [picture, "save_picture"]])
      button.title = button.ariaLabel = say("told", {name: say(name), value: say(word)});
    tools.append(large, picture);
    return tools;
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
    this.select({view: names[(names.indexOf(this.wanted.view) + step + names.length) % names.length]});
  }

  #draw() {
    const {shown, selection} = this;
    const focused = this.root.contains(document.activeElement) && document.activeElement.dataset.focus;
    this.#notice();
    this.body.hidden = false;
    this.bar.draw(shown);
    this.pairs.draw(shown);
    this.heads.draw(shown);
    const large = (this.columns.dataset.large = selection.large);
    for (const button of this.columns.querySelectorAll(".enlarge")) button.ariaPressed = button.closest("section").dataset.view === large;
    this.columns.style.setProperty("--heads", shown.stream.heads);
    // A head at large: all that shows it.
    const names = large === "pictures" && selection.view !== "features" ? ["matrix", "lines", "map"] : [selection.view];
    const views = names.filter((name) => VIEWS[name](shown.stream)).map((name) => this.views[name]);
    const elements = views.map((one) => one.element);
    if (elements.length !== this.panel.children.length || elements.some((one, number) => one !== this.panel.children[number])) this.panel.replaceChildren(...elements);
    for (const tab of this.tabs.children) {
      const chosen = tab.dataset.view === selection.view;
      tab.hidden = !VIEWS[tab.dataset.view](shown.stream);
      tab.ariaSelected = chosen;
      tab.tabIndex = chosen ? 0 : -1;
      if (chosen) this.panel.setAttribute("aria-labelledby", tab.id);
    }
    this.#sayOverlaid(shown);
    for (const one of views) one.draw(shown);
    this.rows.draw(shown);
    this.product.draw(shown);
    this.score.draw(shown);
    this.table.draw(shown);
    this.#sayCommand(shown);
    if (!focused) return;
    // Who chose by the keyboard goes on from the same place; of tabs, from the one that is chosen.
    const name = focused.startsWith("tab-") ? `tab-${selection.view}` : focused;
    this.root.querySelector(`[data-focus="${CSS.escape(name)}"]`)?.focus({preventScroll: true});
  }

  /** Say what to notice: in the opening view, and in any other. */
  #notice() {
    const {selection} = this;
    const places = ["experiment", "stream", "text", "layer", "head", "query", "key", "state"];
    this.told ??= this.notice.textContent;
    const opens = this.told && places.every((key) => selection[key] === {...USUAL, ...this.opening}[key]);
    this.notice.textContent = opens ? this.told : this.finding();
  }

  /** What the chosen token gives to the chosen key, or else to the one that it reads most. */
  finding() {
    const {say, shown, selection} = this;
    const {queries, keys, sources} = shown.text;
    const rows = shown.states.map((state) => part(shown.heads[state].attention, selection.query));
    const last = rows.at(-1);
    const strongest = largestPlace(last);
    const key = selection.key !== null && selection.key < sources ? selection.key : strongest;
    const [query, token] = [queries.tokens[selection.query], keys.tokens[key]];
    // Between streams, queries and keys are of two texts.
    const itself = selection.stream !== "cross" && key === selection.query;
    const several = shown.experiment.states.length > 1;
    const states = [shown.states[0], shown.states.at(-1)].map((state) => this.placeName(state));
    const given = {
      head: say("head_name", selection),
      query,
      key: itself ? say("itself") : say(token === query ? "another_token" : "this_token", {token}),
      before: percent(rows[0][key]),
      weight: percent(last[key]),
      first: states[0],
      state: states[1],
    };
    const name = rows.length > 1 ? "notice_both" : several ? "notice_state" : "notice";
    if (key === strongest && last[key] > 0 && !itself) given.most = say("notice_most");
    return say(name, given) + this.#owed(key) + say("full_stop");
  }

  /** What the prediction loses without a token, if it loses more by it than by any other. */
  #owed(key) {
    const {say, shown} = this;
    const state = shown.states.at(-1);
    const [, removed] = Object.entries(shown.predictions[state] ?? {}).find(([name]) => name.startsWith("left_out_")) ?? [];
    const drop = removed?.values[key];
    if (!(drop > 0) || removed.values.some((value) => value > drop)) return "";
    return say("notice_owed", {token: shown.text.keys.tokens[key], label: shown.text.states[state].predicted.label, change: ofHundred(drop, false)});
  }

  /** A state as a sentence has it. */
  placeName(state) {
    return this.shown.experiment.models ? this.say("in_model", {name: this.stateName(state)}) : this.stateName(state);
  }

  /** Say which colours further heads have that are laid over the chosen one. */
  #sayOverlaid({laidOver}) {
    this.overlaid.hidden = laidOver.length < 2;
    this.overlaid.replaceChildren(...laidOver.map(({layer, head}, number) => {
      const entry = element("span");
      const mark = element("i", {ariaHidden: "true"});
      mark.style.setProperty("--mark", this.overlayColour(number));
      const name = this.say("head_short", {layer, head});
      const button = element("button", {type: "button", textContent: "×", ariaLabel: this.say("take_away", {name}), onclick: () => this.overlay({layer, head})});
      entry.append(mark, name, ...(number ? [button] : []));
      return entry;
    }));
  }

  /** Say which command makes such a page of a text of the reader's own. */
  #sayCommand({experiment}) {
    const {say} = this;
    const {models, states, streams} = experiment;
    if (this.commanded === experiment && this.own.childElementCount) return;
    this.commanded = experiment;
    const quoted = (text) => (/^[\w./@:-]+$/.test(text) ? text : `"${text.replace(/(["\\$`])/g, "\\$1")}"`);
    const [model, other] = models ? states.map((state) => models[state]) : [say("any_model"), states.length > 1 && say("other_model")];
    const command = [
      `attention-mixing explain ${quoted(say("any_text"))}`,
      streams.length > 1 && `--pair ${quoted(say("any_target"))}`,
      `--model ${quoted(model)}`,
      other && `--compare ${quoted(other)}`,
    ].filter(Boolean).join(" ");
    const code = element("code", {textContent: command});
    this.own.replaceChildren(
      element("h2", {textContent: say("own_text")}),
      element("p", {className: "soft", textContent: say("about_own_text")}),
      code,
      copying(say, say("copy_command"), () => command, () => (getSelection().selectAllChildren(code), say("selected"))),
    );
  }

  /** Say what could not be shown. */
  #tell() {
    this.failure.hidden = !this.problem;
    this.failure.textContent = this.problem ? this.say(...this.problem) : "";
  }

  /** Mark a token, by its place among the keys, wherever it stands, while somebody points at it. */
  preview(token) {
    for (const one of this.root.querySelectorAll(".pointed")) one.classList.remove("pointed");
    if (token === null) return;
    for (const one of this.root.querySelectorAll(`[data-token="${token}"]`)) one.classList.add("pointed");
  }

  /** Save a view, with what it is of above it. */
  #savePicture(name, column) {
    const {experiment, text, layer, head} = this.selection;
    const {say, shown} = this;
    this.rows.drawAll();
    const states = shown.states.map((state) => this.stateName(state)).join(", ");
    const lines = [
      `${say(name)} · ${say("head_name", {layer, head})}`,
      [titleOf(shown.experiment), say("told", {name: say("token"), value: shown.text.queries.tokens[this.selection.query]}), states].join(" · "),
      shown.text.text,
      this.notice.textContent,
    ];
    save(pictureOf(column, lines).toDataURL("image/png"), `${experiment.replace(/[^\w.-]+/g, "-")}-${text}-${layer}-${head}-${name}.png`);
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

  /** The colour of one of several heads that are laid over each other. */
  overlayColour(number) {
    return number ? this.categories[(number + 2) % this.categories.length] : `rgb(${this.colours("weight")[0].join(" ")})`;
  }

  /** A colour for a number in [0, 1]. */
  shade = (share) => this.scale[Math.round(Math.min(1, Math.max(0, share)) * (this.scale.length - 1))];
}

for (const root of document.querySelectorAll(".explorer")) root.explorer = new Explorer(root);
