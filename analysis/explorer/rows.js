// What the chosen token draws on, by every method: a table with a token a row and a method a column.

const IN_LAYER = ["head", "raw", "attnresln_n", "alti"];
const FROM_INPUT = ["rollout", "alti_rollout", "flow"];

const AT_ONCE = 40; // rows; those of a long text come as the reader scrolls to them

class TokenRows {
  constructor(explorer) {
    this.explorer = explorer;
    const {say} = explorer;
    this.element = element("section", {className: "rows", ariaLabel: say("rows")});
    this.title = element("h2");
    this.scale = element("select", {onchange: () => explorer.select({g: this.scale.value})});
    offer(this.scale, ["own", "shared", "uniform"], say, "scale_");
    this.compared = ["", ""].map(() => element("select", {onchange: () => this.#compare()}));
    this.copy = element("button", {type: "button", textContent: say("copy_csv"), onclick: () => this.#copy()});
    this.table = element("table");
    this.frame = element("div", {className: "frame", tabIndex: 0, role: "group", ariaLabel: say("rows")});
    this.frame.append(this.table);
    this.status = element("p", {className: "soft"});
    this.scrolled = new IntersectionObserver(([{isIntersecting}]) => isIntersecting && this.#more(), {root: this.frame, rootMargin: "200px"});
    const comparison = element("span", {className: "comparison"});
    comparison.append(labelled(say("compare"), this.compared[0]), labelled("−", this.compared[1]));
    this.compared[1].ariaLabel = say("compare_with");
    const controls = element("div", {className: "controls"});
    controls.append(labelled(say("scale"), this.scale), comparison, this.copy);
    this.element.append(this.title, controls, this.frame, this.status);
  }

  #compare() {
    const [one, other] = this.compared.map((select) => select.value);
    const both = one && other && one !== other;
    const {o} = this.explorer.selection;
    const d = one || other ? `${one}~${other}` : "";
    this.explorer.select({d, o: both ? "difference" : o === "difference" ? "" : o});
  }

  /** Columns of the table: name, group, and values of each token by state. */
  columns(shown) {
    const {selection} = this.explorer;
    const {sources} = shown.text;
    const count = shown.text.keys.tokens.length;
    const states = shown.states;
    const value = (read) => states.map((state) => Array.from({length: count}, (_, key) => read(state, key)));
    const found = [];
    const add = (name, group, values, isShare = true) => found.push({name, group, values, isShare});
    add("head", "in_layer", value((state, key) => (key < sources ? part(shown.heads[state].attention, selection.q)[key] : NaN)));
    for (const [group, names] of [["in_layer", IN_LAYER.slice(1)], ["from_input", FROM_INPUT]])
      for (const name of names)
        if (shown.rows[states[0]][name])
          add(name, group, value((state, key) => part(shown.rows[state][name], selection.q - shown.rowsFrom)[key]));
    if (selection.d) {
      const [one, other] = selection.d.split("~").map((name) => found.find((column) => column.name === name));
      if (one && other && one !== other) add("difference", "in_layer", one.values.map((row, state) => row.map((v, key) => v - other.values[state][key])));
    }
    const methods = new Set(states.flatMap((state) => Object.keys(shown.predictions[state] ?? {})));
    for (const name of methods)
      add(name, "prediction", value((state, key) => shown.predictions[state]?.[name]?.values[key] ?? NaN), false);
    const difference = found.findIndex(({name}) => name === "difference");
    if (difference >= 0) found.unshift({...found.splice(difference, 1)[0], group: "compared"});
    return found;
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    const tokens = shown.text.keys.tokens;
    this.title.textContent = say("rows_of", {token: shown.text.queries.tokens[selection.q], layer: selection.l});
    this.scale.value = selection.g;
    const columns = (this.shown = this.columns(shown));
    const names = columns.filter(({isShare, name}) => isShare && name !== "difference").map(({name}) => name);
    this.compared.forEach((select, number) => {
      offer(select, ["", ...names], say, "column_");
      select.value = selection.d.split("~")[number] ?? "";
    });
    const sorted = columns.find(({name}) => name === selection.o);
    const order = [...tokens.keys()];
    if (sorted) {
      const size = (key) => Math.abs(columnValue(sorted, key)) || 0;
      order.sort((one, other) => size(other) - size(one) || one - other);
    }
    this.body = element("tbody");
    this.left = order;
    this.row = this.#rowsOf(shown, columns);
    this.table.replaceChildren(this.#head(columns), this.body);
    this.#more(order.indexOf(selection.k) + 1);
    const undefinedFlow = columns.some(({name, values}) => name === "flow" && values[0].every(Number.isNaN));
    const notes = [shown.states.length > 1 && say("about_both", {first: this.explorer.stateName(shown.states[0]), second: this.explorer.stateName(shown.states[1])}), undefinedFlow && say("no_flow"), this.#predicted(shown)];
    this.status.textContent = notes.filter(Boolean).join(" ");
  }

  #predicted(shown) {
    const {say} = this.explorer;
    const predicted = shown.text.states[shown.states.at(-1)].predicted;
    return predicted && say("predicted", {label: predicted.label, probability: percent(predicted.probability)});
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
    for (const {name} of columns) {
      const sorted = selection.o === name;
      const cell = element("th", {scope: "col", ariaSort: sorted ? "descending" : "none", title: say(`about_column_${name}`)});
      const press = () => this.explorer.select({o: sorted ? "" : name});
      cell.append(element("button", {type: "button", textContent: say(`column_${name}`) + (sorted ? " ▾" : ""), onclick: press}));
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
    this.scrolled.disconnect();
    if (this.left.length) this.scrolled.observe(this.body.lastChild);
  }

  /** What makes the row of a token. */
  #rowsOf(shown, columns) {
    const {selection} = this.explorer;
    const {keys} = shown.text;
    const largest = Math.max(...columns.filter(({isShare}) => isShare).flatMap(({values}) => values.flatMap((row) => row.map((v) => Math.abs(v) || 0))));
    const uniform = 1 / Math.max(1, shown.text.seen[selection.l - 1][selection.q]);
    return (key) => {
      const row = element("tr", {className: key === selection.k ? "chosen" : ""});
      row.dataset.token = key;
      const name = element("th", {scope: "row"});
      name.append(tokenButton(this.explorer, keys.tokens[key], key, key === selection.k, (k) => this.explorer.select({k: k === selection.k ? null : k})));
      row.append(name, ...columns.map((column) => this.#cell(column, key, {largest, uniform})));
      return row;
    };
  }

  #cell(column, key, {largest, uniform}) {
    const {selection} = this.explorer;
    const minus = selection.g === "uniform" && column.isShare && column.name !== "difference" ? uniform : 0;
    const values = column.values.map((row) => row[key] - minus);
    const own = Math.max(...column.values.flatMap((row) => row.map((v) => Math.abs(v - minus) || 0)), 1e-9);
    const most = selection.g === "shared" && column.isShare ? largest : own;
    const isSigned = !column.isShare || column.name === "difference" || minus > 0;
    const write = (value) => (Number.isNaN(value) ? "–" : column.isShare ? tenths(value, isSigned) : signed(value, 2));
    const cell = element("td", {textContent: values.map(write).join("→")});
    const told = values.length > 1 ? values[1] - values[0] : values[0];
    if (!Number.isNaN(told)) {
      const tone = values.length > 1 || isSigned ? (told < 0 ? "less" : "more") : "weight";
      const share = Math.min(1, Math.abs(told) / most);
      cell.style.background = `color-mix(in srgb, var(--${tone}-tone) ${Math.round(70 * share)}%, transparent)`;
    }
    return cell;
  }

  /** The same as text, a line a token. */
  csv() {
    const {say, shown, selection} = this.explorer;
    const states = shown.states.map((state) => this.explorer.stateName(state));
    const quoted = (text) => `"${String(text).replaceAll('"', '""').replace(/^(?=[=+\-@\t\r])/, "'")}"`;
    const number = (value) => (Number.isNaN(value) ? "" : String(Number(value.toPrecision(5))));
    const head = [say("token"), ...this.shown.flatMap(({name}) => states.map((state) => [say(`column_${name}`), ...(states.length > 1 ? [state] : [])].join(", ")))];
    const lines = shown.text.keys.tokens.map((token, key) =>
      [quoted(token), ...this.shown.flatMap(({values}) => values.map((row) => number(row[key])))].join(","));
    return [head.map(quoted).join(","), ...lines].join("\r\n") + "\r\n";
  }

  async #copy() {
    const {say} = this.explorer;
    try {
      await navigator.clipboard.writeText(this.csv());
      this.copy.textContent = say("copied");
    } catch {
      // A page from a disk may not write to the clipboard: it is saved instead.
      save(URL.createObjectURL(new Blob([this.csv()], {type: "text/csv"})), "rows.csv");
    }
    setTimeout(() => (this.copy.textContent = say("copy_csv")), 2000);
  }
}

/** What a column is sorted by: its value, or its change. */
function columnValue({values}, key) {
  return values.length > 1 ? values[1][key] - values[0][key] : values[0][key];
}
