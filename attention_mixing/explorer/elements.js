// What every view is made of: elements, numbers in words, shades.

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

/** Percent without its sign, as columns of shares have it. */
function tenths(share, sign) {
  return (sign && share >= 0.0005 ? "+" : "") + signed(100 * share, 1);
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
