// What a reference leads to, shown beside it on hover and on keyboard focus: a bibliography entry, a
// footnote, a figure or table with its caption, an equation, the beginning of a section. Without the
// script, and under a finger, a reference is a link like any other.

const REFERENCES = 'main a:is(.quarto-xref, [role="doc-biblioref"], .footnote-ref)[href^="#"]';
const GAP = 6; // pixels between a reference and its popup
const MARGIN = 12; // and between a popup and the edge of the window

const popup = document.createElement("div");
popup.id = "reference-popup";
popup.className = "popup";
popup.setAttribute("role", "tooltip");
popup.hidden = true;
document.querySelector("main").append(popup);

let shown; // the reference whose popup is open
let timer;

/** A copy of what the reader would find at the target, without what only works in its place. */
function preview(target) {
  const parts = target.matches("section")
    ? [target.querySelector(":scope > :is(h2, h3)"), target.querySelector(":scope > p")]
    : target.matches('[role="doc-endnote"], li') ? [...target.children] : [target];
  const copies = parts.filter(Boolean).map((part) => part.cloneNode(true));
  for (const copy of copies) {
    copy.querySelectorAll("th > button").forEach((one) => one.replaceWith(...one.childNodes));
    copy.querySelectorAll(
      ".sources, .goes-on, .plot > .names, .footnote-back, details, script, button, input, select, label",
    ).forEach((one) => one.remove());
    for (const one of [copy, ...copy.querySelectorAll("[id], [tabindex], a")]) {
      one.removeAttribute("id");
      one.removeAttribute("tabindex");
      // The popup is not in the order of the keyboard; its references are for the mouse.
      if (one.matches("a")) one.tabIndex = -1;
    }
  }
  return copies;
}

function show(reference) {
  clearTimeout(timer);
  if (shown === reference) return;
  hide();
  const target = document.getElementById(decodeURIComponent(reference.hash.slice(1)));
  if (!target) return;
  popup.replaceChildren(...preview(target));
  popup.hidden = false;
  place(reference);
  reference.setAttribute("aria-describedby", popup.id);
  shown = reference;
}

/** Below the reference, or above it where there is more room; within the window in any case. */
function place(reference) {
  const lines = reference.getClientRects();
  const {left, bottom} = lines[lines.length - 1];
  const {top} = lines[0];
  const below = innerHeight - bottom - GAP - MARGIN;
  const above = top - GAP - MARGIN;
  popup.style.maxHeight = "";
  const wanted = popup.offsetHeight;
  const upwards = wanted > below && above > below;
  const height = Math.min(wanted, Math.max(upwards ? above : below, 0));
  popup.style.maxHeight = `${height}px`;
  const width = document.documentElement.clientWidth;
  const start = Math.max(Math.min(left, width - MARGIN - popup.offsetWidth), MARGIN);
  popup.style.left = `${start + scrollX}px`;
  popup.style.top = `${(upwards ? top - GAP - height : bottom + GAP) + scrollY}px`;
}

function hide() {
  clearTimeout(timer);
  if (!shown) return;
  popup.hidden = true;
  shown.removeAttribute("aria-describedby");
  shown = undefined;
}

function later(action, milliseconds) {
  clearTimeout(timer);
  timer = setTimeout(action, milliseconds);
}

for (const reference of document.querySelectorAll(REFERENCES)) {
  reference.addEventListener("pointerenter", ({pointerType}) => {
    if (pointerType === "mouse") later(() => show(reference), 120);
  });
  reference.addEventListener("pointerleave", () => later(hide, 250));
  reference.addEventListener("focus", () => {
    if (reference.matches(":focus-visible")) show(reference);
  });
  reference.addEventListener("blur", hide);
  reference.addEventListener("click", hide);
}
// The mouse may go over to the popup, to read on or to follow a link.
popup.addEventListener("pointerenter", () => clearTimeout(timer));
popup.addEventListener("pointerleave", () => later(hide, 250));
popup.addEventListener("click", ({target}) => {
  if (target.closest("a")) hide();
});
addEventListener("keydown", ({key}) => {
  if (key === "Escape") hide();
});
addEventListener("resize", hide);
