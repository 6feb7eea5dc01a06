// One head, token by token: lines from the tokens that read to those that are read.

const LINE = 20; // pixels a token
const FAINT = 0.02; // weights below are not drawn
const EVERY = 48; // tokens up to which those that were not chosen have lines too

class TokenLines {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = element("div", {className: "lines"});
  }

  draw(shown) {
    const {say} = this.explorer;
    this.element.replaceChildren(
      element("p", {className: "soft", textContent: say("about_lines")}),
      ...shown.states.map((state) => {
        const figure = element("figure");
        figure.append(element("figcaption", {textContent: this.explorer.stateName(state)}), this.#columns(shown, state));
        return figure;
      }),
    );
  }

  #columns(shown, state) {
    const {say, selection} = this.explorer;
    const left = shown.text.queries.tokens;
    const right = shown.text.keys.tokens.slice(0, shown.text.sources);
    const columns = element("div", {className: "pairs"});
    const height = LINE * Math.max(left.length, right.length);
    const svg = svgElement("svg", {viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", height, role: "img"});
    svg.setAttribute("aria-label", say("lines_of", {layer: selection.l, head: selection.h, token: left[selection.q]}));
    const weights = shown.heads[state].attention;
    const queries = left.length <= EVERY ? [...left.keys()] : [selection.q];
    for (const query of queries) {
      const strength = query === selection.q ? 1 : 0.25;
      part(weights, query).forEach((weight, key) => {
        if (weight * strength < FAINT) return;
        const [y1, y2] = [query, key].map((place) => LINE * (place + 0.5));
        svg.append(svgElement("line", {x1: 0, y1, x2: 100, y2, "stroke-opacity": (weight * strength).toFixed(3)}));
      });
    }
    const column = (tokens, name, chosen, choose) => {
      const list = element("ol", {ariaLabel: say(name)});
      list.append(...tokens.map((token, place) => {
        const item = element("li");
        item.append(tokenButton(this.explorer, token, place, place === chosen, choose));
        return item;
      }));
      return list;
    };
    columns.append(
      column(left, "queries", selection.q, (q) => this.explorer.select({q})),
      svg,
      column(right, "keys", selection.k, (k) => this.explorer.select({k})),
    );
    return columns;
  }
}
