// What the chosen token draws on, by every method: a table with a token a row and a method a column.

const AT_ONCE = 40; // rows; those of a long text come as the reader scrolls to them
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
    const controls = element("div", {className: "controls"});
    controls.append(labelled(say("scale"), this.scale), comparison, copying(say, say("copy_csv"), () => this.csv(), () => this.#saveCsv()));
    this.table = element("table");
    this.frame = element("div", {className: "frame", tabIndex: 0, role: "group", ariaLabel: say("rows")});
    this.frame.append(this.table);
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
    this.explorer.select({compared, order: both ? "difference" : order === "difference" ? "" : order});
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
    for (const [group, methods] of Object.entries(explorer.methods))
      for (const name of methods) if (shown.rows[shown.states[0]][name]) add(name, group, shown.states, ofMethod(name));
    const [one, other] = selection.compared.split("~").map((name) => found.find((column) => column.name === name));
    if (one && other && one !== other) {
      const values = one.values.map((row, state) => row.map((value, key) => value - other.values[state][key]));
      const rest = found.filter((column) => column !== one && column !== other);
      const difference = {name: "difference", group: "compared", states: shown.states, values, isShare: true};
      found.splice(0, found.length, difference, ...[one, other].map((column) => ({...column, group: "compared"})), ...rest);
    }
    const predicting = shown.states.filter((state) => shown.predictions[state]);
    for (const name of new Set(predicting.flatMap((state) => Object.keys(shown.predictions[state])))) {
      const states = predicting.filter((state) => shown.predictions[state][name]);
      add(name, "prediction", states, (state, key) => shown.predictions[state][name].values[key], false);
    }
    return found;
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    const tokens = shown.text.keys.tokens;
    const state = shown.states.map((one) => this.explorer.stateName(one)).join(" → ");
    const place = say("head_name", selection);
    this.title.textContent = say("rows_of", {token: shown.text.queries.tokens[selection.query], place, state});
    this.scale.value = selection.scale;
    const columns = (this.columns = this.#columnsOf(shown));
    const names = columns.filter(({isShare, name}) => isShare && name !== "difference").map(({name}) => name);
    this.compared.forEach((select, number) => {
      offer(select, ["", ...names], say, "column_");
      select.value = selection.compared.split("~")[number] ?? "";
    });
    const order = [...tokens.keys()];
    const sorted = columns.find(({name}) => name === selection.order);
    if (sorted) order.sort((one, other) => sizeOf(sorted, other) - sizeOf(sorted, one) || one - other);
    this.body = element("tbody");
    this.left = order;
    this.row = this.#rowsOf(shown, columns);
    this.table.replaceChildren(this.#head(columns), this.body);
    this.#more(order.indexOf(selection.key) + 1);
    const undefinedFlow = columns.some(({name, values}) => name === "flow" && values[0].every(Number.isNaN));
    const unmeasured = !columns.some(({name}) => name === "dependence");
    const [first, second] = shown.states.map((state) => this.explorer.stateName(state));
    const notes = [second && say("about_both", {first, second}), undefinedFlow && say("no_flow"), unmeasured && say("no_dependence"), ...this.#predicted(shown)];
    this.status.textContent = notes.filter(Boolean).join(say("gap"));
    this.meanings.replaceChildren(...columns.flatMap(({name}) => [
      element("dt", {textContent: say(`column_${name}`)}),
      element("dd", {textContent: say(`about_column_${name}`)}),
    ]));
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
    const write = (value) => (Number.isNaN(value) ? "–" : column.isShare ? tenths(value, isSigned) : signed(value, 2));
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
    const head = [say("token"), ...this.columns.flatMap(headOf)];
    const lines = shown.text.keys.tokens.map((token, key) =>
      [quoted(token), ...this.columns.flatMap(({values}) => values.map((row) => number(row[key])))].join(","));
    return [head.map(quoted).join(","), ...lines].join("\r\n") + "\r\n";
  }

  /** A page from a disk may not write to the clipboard: it is saved instead. */
  #saveCsv() {
    save(URL.createObjectURL(new Blob([this.csv()], {type: "text/csv"})), "rows.csv");
    return this.explorer.say("saved");
  }
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
