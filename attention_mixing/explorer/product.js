// One weight: the query of the chosen token, a key, and their product, dimension by dimension.

class ProductStrip {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = element("section", {className: "product", ariaLabel: explorer.say("product")});
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    this.element.replaceChildren(element("h2", {textContent: say("product")}));
    const isKey = selection.key !== null && selection.key < shown.text.sources;
    if (!isKey || !shown.seen[selection.key]) {
      this.element.append(element("p", {className: "soft", textContent: say(isKey ? "unseen_key" : "choose_key")}));
      return;
    }
    for (const state of shown.states) this.element.append(...this.#strip(shown, state));
  }

  #strip(shown, state) {
    const {say, selection} = this.explorer;
    const {query, key, attention} = shown.heads[state];
    const ofQuery = part(query, selection.query), ofKey = part(key, selection.key);
    const products = ofQuery.map((value, dimension) => value * ofKey[dimension]);
    const sum = products.reduce((total, value) => total + value, 0);
    const weight = part(attention, selection.query)[selection.key];
    const strongest = [...products.keys()].reduce((best, d) => (Math.abs(products[d]) > Math.abs(products[best]) ? d : best), 0);
    const most = (...vectors) => Math.max(1e-9, ...vectors.flatMap((values) => [...values].map(Math.abs)));
    const ofVectors = most(ofQuery, ofKey);
    const table = element("table", {className: "strip"});
    table.append(
      this.#row(say("query_of", {token: shown.text.queries.tokens[selection.query]}), ofQuery, ofVectors),
      this.#row(say("key_of", {token: shown.text.keys.tokens[selection.key]}), ofKey, ofVectors),
      this.#row(say("products"), products, most(products)),
    );
    const told = say("product_is", {
      state: this.explorer.stateName(state),
      sum: signed(sum, 2),
      dimensions: products.length,
      strongest: strongest + 1,
      largest: signed(products[strongest], 2),
      weight: percent(weight),
    });
    const frame = element("div", {className: "frame", tabIndex: 0, role: "group", ariaLabel: say("product")});
    frame.append(table);
    return [element("p", {textContent: told}), frame];
  }

  #row(name, values, most) {
    const row = element("tr");
    row.append(element("th", {scope: "row", textContent: name}));
    values.forEach((value, dimension) => {
      const cell = element("td", {title: this.explorer.say("told", {name: `${this.explorer.say("dimension")} ${dimension + 1}`, value: signed(value, 3)})});
      cell.style.background = shaded(value < 0 ? "less" : "more", value, most, 100);
      row.append(cell);
    });
    return row;
  }
}
