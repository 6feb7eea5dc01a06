// One head, token by token: lines from the tokens that read to those that are read.

const LINE = 20; // pixels a token
const FAINT = 0.02; // strengths of lines below are not drawn
const OTHERS = 0.25; // strength of lines of tokens that were not chosen, beside their weight
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
    const {layer, head} = selection;
    const left = shown.text.queries.tokens;
    const right = shown.text.keys.tokens.slice(0, shown.text.sources);
    const height = LINE * Math.max(left.length, right.length);
    const svg = svgElement("svg", {viewBox: `0 0 100 ${height}`, preserveAspectRatio: "none", role: "img"});
    svg.style.height = `${height}px`; // as high as the tokens beside it, whatever the page has for pictures
    svg.setAttribute("aria-label", say("lines_of", {layer, head, token: left[selection.query]}));
    const queries = left.length <= EVERY ? [...left.keys()] : [selection.query];
    for (const [number, {attention}] of shown.laidOver.entries())
      for (const query of queries)
        part(attention[state], query).forEach((weight, key) => {
          const strength = query === selection.query ? weight : OTHERS * weight;
          if (strength < FAINT || !shown.between(query, key)) return;
          const [y1, y2] = [query, key].map((place) => LINE * (place + 0.5));
          const line = svgElement("line", {x1: 0, y1, x2: 100, y2, "stroke-opacity": strength.toFixed(3)});
          if (number) line.style.stroke = this.explorer.overlayColour(number);
          svg.append(line);
        });
    const columns = element("div", {className: "pairs"});
    columns.append(
      this.#column(left, "queries", selection.query, shown.ofQuery, (query) => this.explorer.select({query}), state),
      svg,
      this.#column(right, "keys", selection.key, (key) => key, (key) => this.explorer.chooseKey(key), state),
    );
    return columns;
  }

  #column(tokens, name, chosen, identity, choose, state) {
    const list = element("ol", {ariaLabel: this.explorer.say(name)});
    const buttons = tokens.map((token, place) =>
      tokenButton(this.explorer, {token, identity: identity(place), focus: `${state}-${name}-${place}`, chosen: place === chosen, choose: () => choose(place)}));
    list.append(...buttons.map((button) => {
      const item = element("li");
      item.append(button);
      return item;
    }));
    roving(list, buttons, chosen);
    return list;
  }
}
