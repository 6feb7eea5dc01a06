// One weight: the query of the chosen token, a key, and their product, dimension by dimension.

class ProductStrip {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = element("section", {className: "product", ariaLabel: explorer.say("product")});
  }

  draw(shown) {
    const {say, selection} = this.explorer;
    this.element.replaceChildren(element("h2", {textContent: say("product")}));
    if (selection.k === null || selection.k >= shown.text.sources) {
      this.element.append(element("p", {className: "soft", textContent: say("choose_key")}));
      return;
    }
    for (const state of shown.states) this.element.append(...this.#strip(shown, state));
  }

  #strip(shown, state) {
    const {say, selection} = this.explorer;
    const {query, key, attention} = shown.heads[state];
    const q = part(query, selection.q), k = part(key, selection.k);
    const products = q.map((value, dimension) => value * k[dimension]);
    const sum = products.reduce((total, value) => total + value, 0);
    const weight = part(attention, selection.q)[selection.k];
    const strongest = [...products.keys()].reduce((best, d) => (Math.abs(products[d]) > Math.abs(products[best]) ? d : best), 0);
    const table = element("table", {className: "strip"});
    const names = [
      say("query_of", {token: shown.text.queries.tokens[selection.q]}),
      say("key_of", {token: shown.text.keys.tokens[selection.k]}),
      say("products"),
    ];
    const ofVectors = Math.max(...q.map(Math.abs), ...k.map(Math.abs), 1e-9);
    const ofProducts = Math.max(...products.map(Math.abs), 1e-9);
    [q, k, products].forEach((values, number) => {
      const row = element("tr");
      row.append(element("th", {scope: "row", textContent: names[number]}));
      values.forEach((value, dimension) => {
        const cell = element("td", {title: `${say("dimension")} ${dimension + 1}: ${signed(value, 3)}`});
        const share = Math.min(1, Math.abs(value) / (number < 2 ? ofVectors : ofProducts));
        cell.style.background = `color-mix(in srgb, var(--${value < 0 ? "less" : "more"}) ${Math.round(100 * share)}%, transparent)`;
        row.append(cell);
      });
      table.append(row);
    });
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
}
