// What the chosen token draws on, by every method: a table with a token a row and a method a column.

const AT_ONCE = 40; // rows; those of a long text come as the reader scrolls to them
// Columns that are shown while there is room, the first ones first; what is compared or sorted by
// is there in any case. `left_out` stands for what removing a token does, whichever way.
const FIRST = ["head", "left_out", "integrated_gradients", "rollout", "flow", "alti", "alti_rollout", "dependence", "decompx", "alti_logit", "gradient_norm", "raw", "attnresln_n"];
// Pixels that a column takes at least, with one number and with one a state; and the tokens.
const NARROW = 44, WIDE = 70, OF_TOKENS = 90;
const OF_SOURCE = new Set(["head", "raw"]); // weights, which in cross-attention are on the source alone

/**
 * A column: what is told of every token.
 *
 * @typedef {{name, group, states, values, isShare}} Column `values` are `[state][token]`, of the
 *   states that have it.
 */

class TokenRows {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("section", {className: "rows", ariaLabel: say("rows")});
    this.title = element("h2");
    this.scale = element("select", {onchange: () => explorer.select({scale: this.scale.value})});
    offer(this.scale, ["own", "shared", "uniform"], say, "scale_");
    this.compared = ["", ""].map(() => element("select", {onchange: () => this.#compare()}));
    this.compared[1].ariaLabel = say("compare_with");
    const comparison = element("span", {className: "comparison"});
    comparison.append(labelled(say("compare"), this.compared[0]), labelled("−", this.compared[1]));
    this.chooser = element("details", {className: "chooser"});
    this.chosen = element("summary");
    this.options = element("div");
    this.chooser.append(this.chosen, this.options);
    const controls = element("div", {className: "controls"});
    controls.append(comparison, hinted(say("scale"), this.scale), this.chooser, copying(say, say("copy_csv"), () => this.csv(), () => this.#saveCsv()));
    this.table = element("table");
    this.frame = element("div", {className: "frame", tabIndex: 0, role: "group", ariaLabel: say("rows")});
    this.frame.append(this.table);
    new ResizeObserver(debounced(() => this.#fit())).observe(this.frame);
    this.scrolled = new IntersectionObserver(([{isIntersecting}]) => isIntersecting && this.#more(), {root: this.frame, rootMargin: "200px"});
    this.status = element("p", {className: "soft"});
    this.meanings = element("dl");
    const folded = element("details", {className: "soft"});
    folded.append(element("summary", {textContent: say("about_columns")}), this.meanings);
    this.element.append(this.title, controls, this.frame, this.status, folded);
  }

  #compare() {
    const [one, other] = this.compared.map((select) => select.value);
    const both = one && other && one !== other;
    const {order} = this.explorer.wanted;
    const compared = one || other ? `${one}~${other}` : "";
    // What comes from the input is told of the last layer: of the first, methods agree.
    const {explorer} = this;
    const fromInput = both && [one, other].some((name) => explorer.methods.from_input.includes(name));
    const place = fromInput ? {layer: explorer.shown.stream.layers} : {};
    explorer.select({compared, order: both ? "difference" : order === "difference" ? "" : order, ...place});
  }

  /** Columns of the table, as `Column` has it. */
  #columnsOf(shown) {
    const {explorer} = this;
    const {selection} = explorer;
    const {sources} = shown.text;
    const count = shown.text.keys.tokens.length;
    const found = [];
    const add = (name, group, states, read, isShare = true) => {
      const values = states.map((state) => Array.from({length: count}, (_, key) => read(state, key)));
      found.push({name, group, states, values, isShare});
    };
    const weights = (state) => part(shown.heads[state].attention, selection.query);
    const ofMethod = (name) => (state, key) => (OF_SOURCE.has(name) && key >= sources ? NaN : part(shown.rows[state][name], shown.row)[key]);
    add("head", "in_layer", shown.states, (state, key) => weights(state)[key] ?? NaN);
    const predicting = shown.states.filter((state) => shown.predictions[state]);
    const ofPrediction = new Set(predicting.flatMap((state) => Object.keys(shown.predictions[state])));
    for (const [group, methods] of Object.entries(explorer.methods)) {
      for (const name of methods) if (shown.rows[shown.states[0]][name]) add(name, group, shown.states, ofMethod(name));
      if (group !== "in_layer") continue;
      for (const name of ofPrediction) {
        const states = predicting.filter((state) => shown.predictions[state][name]);
        add(name, "prediction", states, (state, key) => shown.predictions[state][name].values[key], false);
      }
    }
    const [one, other] = selection.compared.split("~").map((name) => found.find((column) => column.name === name));
    if (one && other && one !== other) {
      // Of states that both know; what is no share counts as its share of the column.
      const states = one.states.filter((state) => other.states.includes(state));
      const values = states.map((state) => {
        const [first, second] = [one, other].map((column) => sharesOf(column, column.states.indexOf(state)));
        return first.map((value, key) => value - second[key]);
      });
      const rest = found.filter((column) => column !== one && column !== other);
      const difference = {name: "difference", group: "compared", states, values, isShare: true};
      found.splice(0, found.length, difference, ...[one, other].map((column) => ({...column, group: "compared"})), ...rest);
    }
    return found;
  }

  /** Of all columns, those that the reader chose, or else those that there may be room for. */
  #shownOf(all) {
    const {selection} = this.explorer;
    const asked = ({group, name}) => group === "compared" || name === selection.order;
    const named = selection.columns.split("~").filter(Boolean);
    if (named.length) return all.filter((column) => named.includes(column.name) || asked(column));
    const width = ({states}) => (states.length > 1 ? WIDE : NARROW);
    let room = (this.frame.clientWidth || this.element.parentElement?.clientWidth || 0) - OF_TOKENS;
    const chosen = new Set(all.filter(asked));
    for (const column of chosen) room -= width(column);
    for (const column of all.filter((column) => !asked(column)).sort((one, other) => rankOf(one) - rankOf(other)))
      if ((room -= width(column)) >= 0 || !chosen.size) chosen.add(column);
      else break;
    return all.filter((column) => chosen.has(column));
  }

  /** Leave out columns that the table, as it is drawn, has no room for. */
  #trim() {
    const {selection} = this.explorer;
    let over = this.frame.scrollWidth - this.frame.clientWidth;
    if (over <= 0 || selection.columns || !this.frame.clientWidth) return false;
    const cells = this.table.tHead.rows[1].cells;
    const least = this.columns.map((column, number) => ({column, width: cells[number + 1].offsetWidth}))
      .filter(({column}) => column.group !== "compared" && column.name !== selection.order)
      .sort((one, other) => rankOf(other.column) - rankOf(one.column));
    const left = new Set(this.columns);
    while (over > 0 && least.length > 1) {
      const {column, width} = least.shift();
      left.delete(column);
      over -= width;
    }
    this.columns = this.columns.filter((column) => left.has(column));
    return true;
  }

  /** More room, or less, may be for other columns. */
  #fit() {
    const {shown} = this.explorer;
    const {clientWidth, scrollWidth} = this.frame;
    if (!shown || !this.all || (scrollWidth <= clientWidth && clientWidth < this.width + NARROW)) return;
    if (this.explorer.selection.columns) return; // the reader's
    const {focus} = this.element.contains(document.activeElement) ? document.activeElement.dataset : {};
    this.draw(shown);
    if (focus) this.element.querySelector(`[data-focus="${CSS.escape(focus)}"]`)?.focus({preventScroll: true});
  }

  /** Columns as boxes to tick. */
  #offerColumns() {
    const {say} = this.explorer;
    const names = this.columns.map(({name}) => name);
    this.chosen.textContent = say("columns_shown", {count: names.length, all: this.all.length});
    this.options.replaceChildren(...this.all.filter(({name}) => name !== "difference").map(({name}) => {
      const box = element("input", {type: "checkbox", checked: names.includes(name), onchange: () => this.#choose(name, box.checked)});
      box.dataset.focus = `box-${name}`;
      const label = element("label");
      label.append(box, " ", say(`column_${name}`));
      return label;
    }));
    const usual = element("button", {type: "button", textContent: say("usual_columns"), onclick: () => this.explorer.select({columns: ""})});
    usual.dataset.focus = "box-usual";
    this.options.append(usual);
  }

  #choose(name, isShown) {
    const names = this.columns.map((column) => column.name).filter((one) => one !== name && one !== "difference");
    const {compared, order} = this.explorer.wanted;
    const isCompared = compared.split("~").includes(name);
    const isOrdered = order === name || (isCompared && order === "difference");
    const gone = isShown ? {} : {order: isOrdered ? "" : order, compared: isCompared ? "" : compared};
    this.explorer.select({...gone, columns: [...names, ...(isShown ? [name] : [])].join("~")});
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    const tokens = shown.text.keys.tokens;
    const state = shown.states.map((one) => this.explorer.stateName(one)).join(" → ");
    // The place is in sight, for a comparison can change it.
    const place = element("small", {textContent: say("head_name", selection), title: state});
    this.title.replaceChildren(say("rows_of", {token: shown.text.queries.tokens[selection.query]}), " ", place);
    this.scale.value = selection.scale;
    this.all = this.#columnsOf(shown);
    this.width = this.frame.clientWidth;
    this.columns = this.#shownOf(this.all);
    const names = this.all.map(({name}) => name).filter((name) => name !== "difference");
    this.compared.forEach((select, number) => {
      offer(select, ["", ...names], say, "column_");
      select.value = selection.compared.split("~")[number] ?? "";
    });
    const order = [...tokens.keys()];
    const sorted = this.columns.find(({name}) => name === selection.order);
    if (sorted) order.sort((one, other) => sizeOf(sorted, other) - sizeOf(sorted, one) || one - other);
    this.body = element("tbody");
    this.left = order;
    this.row = this.#rowsOf(shown, this.columns);
    this.table.replaceChildren(this.#head(this.columns), this.body);
    const matters = this.#mattering(shown, sorted && order[0]);
    this.#more(order.indexOf(matters) + 1);
    if (this.#trim()) {
      this.left = order;
      this.row = this.#rowsOf(shown, this.columns);
      this.body.replaceChildren();
      this.table.tHead.replaceWith(this.#head(this.columns));
      this.#more(order.indexOf(matters) + 1);
    }
    this.#offerColumns();
    this.#showRow(matters);
    const {columns} = this;
    const undefinedFlow = columns.some(({name, values}) => name === "flow" && values[0].every(Number.isNaN));
    const unmeasured = !this.all.some(({name}) => name === "dependence");
    const [first, second] = shown.states.map((state) => this.explorer.stateName(state));
    const mixed = this.all.some(({group, isShare}) => group === "compared" && !isShare) && say("about_compared_shares");
    const notes = [mixed, second && say("about_both", {first, second}), undefinedFlow && say("no_flow"), unmeasured && say("no_dependence"), ...this.#predicted(shown)];
    this.status.textContent = notes.filter(Boolean).join(say("gap"));
    this.meanings.replaceChildren(...columns.flatMap(({name}) => [
      element("dt", {textContent: say(`column_${name}`)}),
      element("dd", {textContent: say(`about_column_${name}`)}),
    ]));
  }

  /** The row that matters: the first of sorted rows until a key is chosen, else that, or the strongest. */
  #mattering(shown, first) {
    const {text, query, order, compared, key} = this.explorer.selection;
    const sorting = [text, query, order, compared].join();
    if (sorting !== this.sorting) this.keyThen = key;
    this.sorting = sorting;
    if (first !== undefined && key === this.keyThen) return first;
    if (key !== null) return key;
    return largestPlace(part(shown.heads[shown.states.at(-1)].attention, query));
  }

  /** Bring a row into sight of the table, not of the page; the first ones stay where it is one of them. */
  #showRow(key) {
    const {frame} = this;
    const row = this.body.querySelector(`[data-token="${key}"]`);
    if (!row || frame.scrollHeight <= frame.clientHeight) return;
    const head = this.table.tHead.offsetHeight;
    const [top, bottom] = [row.offsetTop - head, row.offsetTop + row.offsetHeight - frame.clientHeight];
    if (frame.scrollTop > top) frame.scrollTop = Math.max(0, top - 2 * row.offsetHeight);
    else if (frame.scrollTop < bottom) frame.scrollTop = bottom + 2 * row.offsetHeight;
  }

  /** What the model predicts, in every state that is shown and predicts. */
  #predicted(shown) {
    const {say} = this.explorer;
    const known = shown.states.filter((state) => shown.text.states[state].predicted);
    const by = shown.states.length > 1 ? "_by" : "";
    return known.flatMap((state) => {
      const {label, probability, among, next} = shown.text.states[state].predicted;
      const given = {label, probability: percent(probability), state: this.explorer.stateName(state)};
      if (!among) return [say(`predicted${by}`, given)];
      // What is likely among a few words need not be likely at all.
      const chosen = say(`chosen${by}`, {...given, words: this.#listed(among)});
      const tokens = (next ?? []).map(([token, share]) => say("next_token", {token, probability: rounded(share)}));
      return [chosen, ...(next ? [say(`next_tokens${by}`, {...given, tokens: tokens.join(say("comma"))})] : [])];
    });
  }

  /** Words in a sentence. */
  #listed(words) {
    const {say} = this.explorer;
    const quoted = words.map((word) => say("quoted", {word}));
    return say("both_listed", {first: quoted.slice(0, -1).join(say("comma")), last: quoted.at(-1)});
  }

  #head(columns) {
    const {say, selection} = this.explorer;
    const head = element("thead");
    const groups = element("tr");
    groups.append(element("td"));
    for (const group of [...new Set(columns.map((column) => column.group))]) {
      const span = columns.filter((column) => column.group === group).length;
      groups.append(element("th", {colSpan: span, scope: "colgroup", textContent: say(`group_${group}`)}));
    }
    const names = element("tr");
    names.append(element("th", {scope: "col", textContent: say("token")}));
    for (const {name, states} of columns) {
      const sorted = selection.order === name;
      const cell = element("th", {scope: "col", ariaSort: sorted ? "descending" : "none", title: say(`about_column_${name}`)});
      const by = name === "difference" ? this.explorer.shortName(states.at(-1)) : say("by_change");
      const mark = sorted ? (states.length > 1 ? ` ${by} ▾` : " ▾") : "";
      const button = element("button", {type: "button", textContent: say(`column_${name}`) + mark, onclick: () => this.explorer.select({order: sorted ? "" : name})});
      button.dataset.focus = `column-${name}`;
      cell.append(button);
      names.append(cell);
    }
    head.append(groups, names);
    return head;
  }

  /** Add rows that are not there yet: at least so many. */
  #more(least = 0) {
    const next = this.left.slice(0, Math.max(AT_ONCE, least));
    this.left = this.left.slice(next.length);
    this.body.append(...next.map(this.row));
    const buttons = [...this.body.querySelectorAll("button")];
    roving(this.body, buttons, buttons.findIndex(({ariaPressed}) => ariaPressed === "true"));
    this.scrolled.disconnect();
    if (this.left.length) this.scrolled.observe(this.body.lastChild);
  }

  /** Add all rows, also those that the reader has not come to. */
  drawAll() {
    this.#more(this.left.length);
  }

  /** What makes the row of a token. */
  #rowsOf(shown, columns) {
    const {selection} = this.explorer;
    const {keys} = shown.text;
    const largest = Math.max(1e-9, ...columns.filter(({isShare}) => isShare).map(largestOf));
    // Uniform attention is over the keys that the token may read and of which a column tells.
    const told = ({values: [row]}, key) => shown.seen[key] > 0 && !Number.isNaN(row[key]);
    const evenly = new Map(columns.map((column) => [column, 1 / keys.tokens.filter((_, key) => told(column, key)).length]));
    const uniform = (column, key) => {
      if (selection.scale !== "uniform" || !column.isShare || column.name === "difference" || !shown.seen[key]) return 0;
      return evenly.get(column);
    };
    return (key) => {
      const row = element("tr", {className: key === selection.key ? "chosen" : ""});
      row.dataset.token = key;
      const name = element("th", {scope: "row"});
      name.append(tokenButton(this.explorer, {token: keys.tokens[key], identity: key, focus: `row-${key}`, chosen: key === selection.key, choose: () => this.explorer.chooseKey(key)}));
      row.append(name, ...columns.map((column) => this.#cell(column, key, largest, uniform(column, key))));
      return row;
    };
  }

  #cell(column, key, largest, uniform) {
    const {scale} = this.explorer.selection;
    const values = column.values.map((row) => row[key] - uniform);
    const most = scale === "shared" && column.isShare ? largest : largestOf(column);
    const isSigned = !column.isShare || column.name === "difference" || (scale === "uniform" && column.isShare);
    const write = (value) => (Number.isNaN(value) ? "–" : column.isShare ? ofHundred(value, isSigned) : digits(value));
    const cell = element("td", {textContent: values.map(write).join("→")});
    const told = values.length > 1 ? values[1] - values[0] : values[0];
    if (!Number.isNaN(told)) {
      const tone = values.length > 1 || isSigned ? (told < 0 ? "less" : "more") : "weight";
      cell.style.background = shaded(`${tone}-tone`, told, most, 70);
    }
    return cell;
  }

  /** The values behind the table as text, a line a token, without what a scale takes off. */
  csv() {
    const {say, shown} = this.explorer;
    // Without the places where a heading may be broken.
    const quoted = (text) => `"${String(text).replaceAll("\u200b", "").replaceAll('"', '""').replace(/^(?=[=+\-@\t\r])/, "'")}"`;
    const number = (value) => (Number.isNaN(value) ? "" : String(Number(value.toPrecision(5))));
    const headOf = ({name, states}) => states.map((state) => [say(`column_${name}`), ...(shown.states.length > 1 ? [this.explorer.stateName(state)] : [])].join(", "));
    const head = [say("token"), ...this.all.flatMap(headOf)];
    const lines = shown.text.keys.tokens.map((token, key) =>
      [quoted(token), ...this.all.flatMap(({values}) => values.map((row) => number(row[key])))].join(","));
    return [head.map(quoted).join(","), ...lines].join("\r\n") + "\r\n";
  }

  /** A page from a disk may not write to the clipboard: it is saved instead. */
  #saveCsv() {
    save(URL.createObjectURL(new Blob([this.csv()], {type: "text/csv"})), "rows.csv");
    return this.explorer.say("saved");
  }
}

/** Which column is shown before others. */
function rankOf({name}) {
  return FIRST.indexOf(name.startsWith("left_out") ? "left_out" : name);
}

function largestOf({values}) {
  return Math.max(1e-9, ...values.map((row) => row.reduce((most, value) => Math.max(most, Math.abs(value) || 0), 0)));
}

/** What a column is sorted by: how large a value is, or its change; a difference, in the last state. */
function sizeOf({name, values}, key) {
  const [before, after] = values.map((row) => row[key]);
  if (after === undefined) return Math.abs(before) || 0;
  return Math.abs(name === "difference" ? after : after - before) || 0;
}

/** A column in one of its states, as shares: what is none of each is of the sum, without signs. */
function sharesOf({isShare, values}, state) {
  const row = values[state];
  if (isShare) return row;
  const sum = row.reduce((sum, value) => sum + (Math.abs(value) || 0), 0) || 1;
  return row.map((value) => Math.abs(value) / sum);
}
