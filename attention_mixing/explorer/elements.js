// What every view is made of: elements, numbers in words, shades.

const SHARP = 2; // pixels of a canvas a pixel of the page, so that a saved picture is sharp
/** What an experiment is called: of models, as they were given. */
const titleOf = ({name, models}) => models?.[name] ?? name;

function element(tag, properties = {}) {
  const {role, ...others} = properties;
  const made = Object.assign(document.createElement(tag), others);
  if (role) made.setAttribute("role", role);
  if (properties.ariaHidden) made.setAttribute("aria-hidden", "true");
  return made;
}

function svgElement(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

/** A picture of 16 pixels in one line. */
function icon(path) {
  const svg = svgElement("svg", {viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true", class: "icon"});
  svg.append(svgElement("path", {d: path}));
  return svg;
}

function labelled(text, control) {
  const label = element("label");
  label.append(element("span", {textContent: text}), " ", control);
  return label;
}

/** Give a list its options, unless it has them. */
function offer(select, names, say, prefix) {
  if ([...select.options].map(({value}) => value).join() === names.join()) return;
  select.replaceChildren(...names.map((name) => new Option(name ? say(prefix + name) : "–", name)));
}

/** A control whose name is told when it is pointed at. */
function hinted(name, control) {
  return Object.assign(control, {title: name, ariaLabel: name});
}

/** Buttons of which one is chosen: `names` by what they choose. */
function choices(label, names, chosen, choose) {
  const group = element("span", {role: "group", className: "choices", ariaLabel: label});
  for (const [value, textContent] of names) {
    const button = element("button", {type: "button", textContent, ariaPressed: value === chosen, onclick: () => choose(value)});
    button.dataset.focus = `${label}-${value}`;
    group.append(button);
  }
  return group;
}

/** Rows of a table: the first of headings. */
function tableOf(head, rows) {
  const table = element("table");
  const line = (cells, tag) => {
    const row = element("tr");
    row.append(...cells.map((cell) => element(tag, {textContent: cell})));
    return row;
  };
  table.append(line(head, "th"), ...rows.map((row) => line(row, "td")));
  return table;
}

/** Button that copies a text; where a page may not, `otherwise` does something else and says what. */
function copying(say, label, text, otherwise) {
  const button = element("button", {type: "button", textContent: label});
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = say("copied");
    } catch {
      button.textContent = otherwise();
    }
    setTimeout(() => (button.textContent = label), 2000);
  };
  return button;
}

// --- lists that the arrow keys go through -------------------------------------------------------

/** Make one of some buttons the stop of the Tab key. */
function stopAt(buttons, chosen) {
  const stop = buttons[chosen] ?? buttons[0];
  for (const button of buttons) button.tabIndex = button === stop ? 0 : -1;
}

/** Make one of a list's buttons its stop; arrow keys go on from there. */
function roving(list, buttons, chosen) {
  list.dataset.roving = "";
  stopAt(buttons, chosen);
}

const STEPS = {ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1};

/** Go from button to button of a list. */
function rove(event) {
  const list = event.target.closest("[data-roving]");
  if (!list || !(event.key in STEPS)) return;
  const buttons = [...list.querySelectorAll("button")];
  const next = buttons[buttons.indexOf(event.target) + STEPS[event.key]];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

// --- numbers ------------------------------------------------------------------------------------

/** With a minus where it is below zero, which what is rounded to zero is not. */
function signed(value, digits) {
  return value.toFixed(digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
}

function percent(share) {
  return `${signed(100 * share, 1)}%`;
}

/** Percent in two digits, however few. */
function rounded(share) {
  return `${Number((100 * share).toPrecision(2))}%`;
}

/** Three digits of a percentage, without its sign: no more than files have, and none is "0.00". */
function ofHundred(share, sign) {
  const size = Math.abs(100 * share);
  const written = size >= 9.995 ? size.toFixed(1) : size >= 0.005 ? size.toFixed(2) : size >= 0.0005 ? size.toFixed(3) : "0";
  return (written === "0" ? "" : share < 0 ? "−" : sign ? "+" : "") + written;
}

/** Three digits of any number. */
function digits(value) {
  const size = Math.abs(value);
  const written = size === 0 ? "0" : size < 0.001 ? size.toExponential(1) : size < 999.5 ? size.toPrecision(3) : size.toFixed(0);
  return (value < 0 ? "−" : "") + written.replace("-", "−");
}

/** A tone, as strong as a number is large: `most` is the largest. */
function shaded(tone, value, most, strongest) {
  const share = Math.min(1, Math.abs(value) / most);
  return `color-mix(in srgb, var(--${tone}) ${Math.round(strongest * share)}%, transparent)`;
}

// --- the rest -----------------------------------------------------------------------------------

function debounced(work) {
  let frame = 0;
  return () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(work);
  };
}

function save(address, name) {
  element("a", {href: address, download: name}).click();
}
