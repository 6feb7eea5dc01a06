// The text: what is chosen of experiments, texts, streams and states, its tokens, and the view in words.

/**
 * A token that can be chosen, and pointed at.
 *
 * @param {{token, identity, focus, chosen, choose}} given `identity` is its place among the keys, by
 *   which it is the same wherever it stands; `focus` names the button.
 */
function tokenButton(explorer, {token, identity, focus, chosen, choose}) {
  const button = element("button", {type: "button", className: "token", textContent: token, ariaPressed: chosen, onclick: choose});
  Object.assign(button.dataset, {token: identity, focus});
  button.onpointerenter = ({pointerType}) => pointerType === "mouse" && explorer.preview(identity);
  button.onpointerleave = () => explorer.preview(null);
  return button;
}

class TextBar {
  constructor(explorer) {
    this.explorer = explorer;
    const {say, index} = explorer;
    this.element = element("div", {className: "bar-of-text"});
    this.experiment = element("select", {onchange: () => explorer.select({experiment: this.experiment.value})});
    this.experiment.append(...index.map(({name, models}) => new Option(titleOf({name, models}), name)));
    this.text = element("select", {className: "long", onchange: () => explorer.select({text: Number(this.text.value)})});
    this.stream = element("select", {onchange: () => explorer.select({stream: this.stream.value})});
    this.states = element("div", {role: "group", className: "states", ariaLabel: say("states")});
    this.streamBox = labelled(say("stream"), this.stream);
    this.sides = element("select", {className: "short", onchange: () => explorer.select({sides: this.sides.value})});
    this.sides.append(new Option(say("sides_all"), ""), ...SIDES.map((name) => new Option(say(`sides_${name}`), name)));
    this.sidesBox = labelled(say("sides"), this.sides);
    const experimentBox = labelled(say("experiment"), this.experiment);
    experimentBox.hidden = index.length < 2;
    this.tokens = element("div", {className: "tokens", role: "group", ariaLabel: say("tokens")});
    const address = () => new URL(explorer.address(), location.href).href;
    const share = copying(say, say("copy_address"), address, () => say("in_the_address"));
    share.hidden = location.protocol === "about:"; // a frame of a notebook has no address
    const choices = element("div", {className: "controls"});
    this.legend = element("span", {className: "soft", textContent: say("about_evidence")});
    choices.append(experimentBox, labelled(say("text"), this.text), this.streamBox, this.states, this.sidesBox, share, this.legend);
    this.element.append(choices, this.tokens);
  }

  draw({experiment, text, ofQuery}) {
    const {say, selection} = this.explorer;
    this.experiment.value = experiment.name;
    if (this.offered !== experiment) {
      this.offered = experiment;
      this.text.replaceChildren(...experiment.texts.map(({id, title}) => new Option(title, id)));
      this.stream.replaceChildren(...experiment.streams.map(({name}) => new Option(say(`stream_${name || "whole"}`), name)));
      this.streamBox.hidden = experiment.streams.length < 2;
      this.#offerStates(experiment);
    }
    this.text.value = selection.text;
    this.stream.value = selection.stream;
    this.sidesBox.hidden = !text.sides.length;
    this.sides.value = selection.sides;
    for (const button of this.states.querySelectorAll("button")) button.ariaPressed = button.dataset.state === selection.state;
    const {tokens, special, evidence} = text.queries;
    this.legend.hidden = !evidence.length;
    const kinds = {special: new Set(special), evidence: new Set(evidence)};
    const buttons = tokens.map((token, place) => {
      const chosen = place === selection.query;
      const button = tokenButton(this.explorer, {token, identity: ofQuery(place), focus: `bar-${place}`, chosen, choose: () => this.explorer.pairs.press(place) || this.explorer.select({query: place})});
      for (const [kind, places] of Object.entries(kinds)) if (places.has(place)) button.classList.add(kind);
      return button;
    });
    this.tokens.replaceChildren(...buttons);
    roving(this.tokens, buttons, selection.query);
    // Where not all are in sight, in one line on a phone or in a long text, the chosen one is.
    const [list, chosen] = [this.tokens, buttons[selection.query]].map((one) => one.getBoundingClientRect());
    if (chosen.left < list.left || chosen.right > list.right) this.tokens.scrollLeft += (chosen.left + chosen.right - list.left - list.right) / 2;
    if (chosen.top < list.top || chosen.bottom > list.bottom) this.tokens.scrollTop += (chosen.top + chosen.bottom - list.top - list.bottom) / 2;
  }

  #offerStates({states, models}) {
    const {say} = this.explorer;
    this.states.replaceChildren();
    if (states.length < 2) return;
    this.states.append(element("span", {className: "soft", textContent: say(models ? "models" : "states")}));
    for (const state of [...states, "both"]) {
      const button = element("button", {type: "button", textContent: this.explorer.shortName(state), onclick: () => this.explorer.select({state})});
      if (models && state !== "both") button.title = models[state];
      Object.assign(button.dataset, {state, focus: `state-${state}`});
      this.states.append(button);
    }
  }
}

/** The selection in words and numbers, for those who do not see the pictures. */
class TextTable {
  constructor(explorer) {
    this.explorer = explorer;
    this.element = element("details", {className: "as-text"});
    this.content = element("div");
    this.element.append(element("summary", {textContent: explorer.say("as_text")}), this.content);
    this.element.addEventListener("toggle", () => explorer.shown && this.draw(explorer.shown));
  }

  draw(shown) {
    if (!this.element.open) return;
    const {say, selection, heads} = this.explorer;
    const {layer, head, query, key} = selection;
    const facts = [
      [say("experiment"), titleOf(shown.experiment)],
      [say("text"), shown.text.text],
      [say(shown.experiment.models ? "models" : "states"), shown.states.map((state) => this.explorer.stateName(state)).join(", ")],
      [say("head"), say("head_name", {layer, head})],
      [say("query"), shown.text.queries.tokens[query]],
      [say("key"), key === null ? "–" : shown.text.keys.tokens[key]],
    ];
    const list = element("dl");
    for (const [name, value] of facts) list.append(element("dt", {textContent: name}), element("dd", {textContent: value}));
    this.content.replaceChildren(...[list, heads.table(shown)].filter(Boolean));
  }
}
