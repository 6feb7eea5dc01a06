// Why a head attends there: a score by what wrote to the query and to the key.

const LARGEST = 10; // pairs of sources that are listed

class ScoreStrip {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = element("section", {className: "score", ariaLabel: explorer.say("score")});
  }

  /** Read the score that is taken apart, if it is that of the selection. */
  async read({score}, ofText, {layer, head, query, key}) {
    const isShown = score && [layer, head, query, key].every((place, i) => place === score[i]);
    return isShown ? (await this.explorer.files.load(`${ofText}/score`)).states : null;
  }

  draw(shown) {
    const {say} = this.explorer;
    this.element.replaceChildren(element("h2", {textContent: say("score")}));
    if (!shown.score) {
      this.element.append(...this.#elsewhere(shown));
      return;
    }
    this.element.append(element("p", {className: "soft", textContent: say("about_score")}));
    const states = element("div", {className: "score-states"});
    const sums = shown.states.map((state) => sumsOfGroups(shown.score[state]));
    // Alike in both states, so that what has grown is darker.
    const most = Math.max(1e-9, ...sums.flatMap((one) => one?.sums.flat().map(Math.abs) ?? []));
    states.append(...shown.states.map((state, i) => this.#state(shown.score[state], state, sums[i], most)));
    this.element.append(states);
  }

  /** Where a score of the text is taken apart, or how that is done. */
  #elsewhere({text}) {
    const {say} = this.explorer;
    const how = element("p", {className: "soft", textContent: say(text.score ? "score_elsewhere" : "no_score")});
    if (!text.score) return [how];
    const [layer, head, query, key] = text.score;
    const name = say("score_of", {
      place: say("head_name", {layer, head}),
      query: text.queries.tokens[query],
      key: text.keys.tokens[key],
    });
    const button = element("button", {type: "button", textContent: name, onclick: () => this.explorer.select({layer, head, query, key})});
    button.dataset.focus = "score";
    return [how, button];
  }

  #state(parts, state, grouped, most) {
    const {say} = this.explorer;
    const box = element("div", {className: "score-state"});
    const name = this.explorer.stateName(state);
    if (!parts.parts) {
      box.append(element("p", {textContent: say("score_no_sum", {state: name})}));
      return box;
    }
    const {values, shape} = unpack(parts.parts);
    const [, columns] = shape;
    const order = [...values.keys()].sort((one, other) => Math.abs(values[other]) - Math.abs(values[one])).slice(0, LARGEST);
    const pairs = order.map((i) => [this.#source(parts.queries[Math.floor(i / columns)]), this.#source(parts.keys[i % columns]), values[i]]);
    const said = [say("score_is", {state: name, score: signed(parts.score, 2), count: values.length})];
    if (parts.position) said.push(say("score_position", {position: signed(parts.position, 2)}));
    box.append(element("p", {textContent: said.join(say("gap"))}), this.#list(pairs), this.#matrix(grouped, most));
    return box;
  }

  #list(pairs) {
    const {say} = this.explorer;
    const table = tableOf([say("source_of_query"), say("source_of_key"), say("part")], pairs.map(([query, key, part]) => [query, key, signed(part, 2)]));
    table.className = "largest";
    const most = Math.abs(pairs[0][2]) || 1;
    [...table.querySelectorAll("tr")].slice(1).forEach((row, i) => {
      const part = pairs[i][2];
      row.lastChild.style.background = shaded(part < 0 ? "less-tone" : "more-tone", part, most, 70);
    });
    return table;
  }

  /** Sources of the query by those of the key, the heads of a layer as one. */
  #matrix({rows, columns, sums}, most) {
    const {say} = this.explorer;
    const table = element("table", {className: "sources"});
    table.append(element("caption", {className: "soft", textContent: say("score_matrix")}));
    const head = element("tr");
    head.append(element("td"), ...columns.map(({source}) => {
      const cell = element("th", {scope: "col"});
      cell.append(element("span", {textContent: this.#source(source)}));
      return cell;
    }));
    table.append(head, ...rows.map(({source}, row) => {
      const line = element("tr");
      line.append(element("th", {scope: "row", textContent: this.#source(source)}), ...sums[row].map((sum, column) => {
        const name = say("marked_pair", {query: this.#source(source), key: this.#source(columns[column].source)});
        const cell = element("td", {title: say("told", {name, value: signed(sum, 2)})});
        cell.style.background = shaded(sum < 0 ? "less" : "more", sum, most, 100);
        return cell;
      }));
      return line;
    }));
    return table;
  }

  /** A source in words; heads of a layer together have none of their own. */
  #source([kind, layer, head, of, stream]) {
    const {say} = this.explorer;
    if (kind === "constant") return say("source_constant");
    if (kind === "network") return say("source_network", {layer});
    if (kind === "head") return say(`source_head${head ? "" : "s"}${stream === "cross" ? "_cross" : ""}`, {layer, head});
    return say(`source_${of || "embedding"}`);
  }
}

/** Sources, the heads of a layer as one: each with its places. */
function groupedSources(sources) {
  const groups = new Map();
  sources.forEach(([kind, layer, , of, stream], place) => {
    const source = [kind, layer, 0, of, stream];
    const key = source.join("|");
    if (!groups.has(key)) groups.set(key, {source, members: []});
    groups.get(key).members.push(place);
  });
  return [...groups.values()];
}

/** Sums of the parts of a score over such groups, of the query and of the key; null where there are none. */
function sumsOfGroups({queries, keys, parts}) {
  if (!parts) return null;
  const {values} = unpack(parts);
  const [rows, columns] = [queries, keys].map(groupedSources);
  const sums = rows.map(({members}) => columns.map(({members: others}) =>
    members.reduce((sum, a) => others.reduce((inner, b) => inner + values[a * keys.length + b], sum), 0)));
  return {rows, columns, sums};
}
