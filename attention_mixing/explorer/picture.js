// A picture of a view, as the page shows it, at twice its size, with what it is of above it.

const EDGE = 16; // pixels around it
const TITLE_LINE = 20; // pixels of a line of its title
const NOT_PAINTED = ".tools, .controls, .view-tabs, .legend button, details, select, input"; // what is pressed

/**
 * Paint a view, with all that it scrolls, onto a canvas.
 *
 * @param {HTMLElement} view
 * @param {string[]} lines What it is of: a title, and more that is broken into lines.
 */
function pictureOf(view, lines) {
  view.classList.add("in-picture"); // nothing scrolls or sticks, and no button is in it
  try {
    const {width, height, left, top} = view.getBoundingClientRect();
    const whole = Math.max(width, view.scrollWidth);
    const canvas = element("canvas");
    let context = canvas.getContext("2d");
    const title = lines.flatMap((line, number) => broken(context, line, number, whole));
    const above = EDGE + TITLE_LINE * title.length + 8;
    canvas.width = SHARP * (whole + 2 * EDGE);
    canvas.height = SHARP * (above + Math.max(height, view.scrollHeight) + EDGE);
    context = canvas.getContext("2d");
    context.scale(SHARP, SHARP);
    const page = getComputedStyle(document.body);
    context.fillStyle = page.backgroundColor;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.fillStyle = page.color;
    title.forEach(({text, font}, number) => {
      context.font = font;
      context.fillText(text, EDGE, EDGE + TITLE_LINE * number + 13);
    });
    context.translate(EDGE - left, above - top);
    paintTree(context, view);
    return canvas;
  } finally {
    view.classList.remove("in-picture");
  }
}

/** A line of a title in as many as it takes. */
function broken(context, line, number, width) {
  const font = number ? "13px sans-serif" : "bold 15px sans-serif";
  context.font = font;
  const found = [];
  for (const word of line.match(/\s*[^\s\u3000-\u9fff]+|\s*[\u3000-\u9fff]/g) ?? []) {
    const text = (found.at(-1)?.text ?? "") + word;
    if (found.length && context.measureText(text).width <= width) found.at(-1).text = text;
    else found.push({text: word.trimStart(), font});
  }
  return found;
}

/** Paint an element, and all within it, where the page has it. */
function paintTree(context, one) {
  if (!one.checkVisibility() || one.matches(NOT_PAINTED)) return;
  const box = one.getBoundingClientRect();
  const style = getComputedStyle(one);
  context.save();
  context.globalAlpha *= Number(style.opacity);
  if (style.rotate !== "none") turn(context, box, style);
  if (!(one instanceof SVGElement)) paintBox(context, boxOf(one, box), style);
  if (one instanceof HTMLCanvasElement) {
    context.imageSmoothingEnabled = style.imageRendering !== "pixelated";
    context.drawImage(one, box.left, box.top, box.width, box.height);
  } else if (one instanceof SVGLineElement) paintLine(context, one, style);
  for (const child of one.childNodes) {
    if (child instanceof Text) paintText(context, child, style);
    else if (child instanceof Element) paintTree(context, child);
  }
  context.restore();
}

/** Turn what follows about the middle of a box. */
function turn(context, {left, top, width, height}, style) {
  context.translate(left + width / 2, top + height / 2);
  context.rotate((parseFloat(style.rotate) * Math.PI) / 180);
  context.translate(-left - width / 2, -top - height / 2);
}

/** The box of an element before it is turned, which stays about the same middle. */
function boxOf(one, {left, top, width, height}) {
  const [across, down] = getComputedStyle(one).rotate === "none" ? [width, height] : [one.offsetWidth, one.offsetHeight];
  return {left: left + (width - across) / 2, top: top + (height - down) / 2, width: across, height: down};
}

function paintBox(context, {left, top, width, height}, style) {
  context.fillStyle = style.backgroundColor;
  context.fillRect(left, top, width, height);
  if (style.backgroundImage.startsWith("linear-gradient")) paintGradient(context, {left, top, width, height}, style);
  const thick = parseFloat(style.borderTopWidth);
  if (thick && style.borderLeftStyle === "solid") {
    context.strokeStyle = style.borderTopColor;
    context.lineWidth = thick;
    context.strokeRect(left + thick / 2, top + thick / 2, width - thick, height - thick);
  }
  if (style.outlineStyle === "solid") {
    context.strokeStyle = style.outlineColor;
    context.lineWidth = parseFloat(style.outlineWidth);
    context.strokeRect(left, top, width, height);
  }
}

/** A strip of colours, from left to right, as scales have them. */
function paintGradient(context, {left, top, width, height}, style) {
  const stops = style.backgroundImage.match(/(?:color|rgba?|oklab)\([^()]*\)/g) ?? [];
  if (stops.length < 2 || !style.backgroundImage.includes("to right")) return;
  const gradient = context.createLinearGradient(left, 0, left + width, 0);
  stops.forEach((colour, number) => gradient.addColorStop(number / (stops.length - 1), colour));
  context.fillStyle = gradient;
  context.fillRect(left, top, width, height);
}

/** A line of a drawing that is as wide and as high as its box, whatever its own units. */
function paintLine(context, line, style) {
  const svg = line.ownerSVGElement;
  const {left, top, width, height} = svg.getBoundingClientRect();
  const {width: across, height: down} = svg.viewBox.baseVal;
  const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) => Number(line.getAttribute(name)));
  context.globalAlpha *= Number(style.strokeOpacity);
  context.strokeStyle = style.stroke;
  context.lineWidth = parseFloat(style.strokeWidth);
  context.beginPath();
  context.moveTo(left + (x1 / across) * width, top + (y1 / down) * height);
  context.lineTo(left + (x2 / across) * width, top + (y2 / down) * height);
  context.stroke();
}

/** Words of a text, each where the page has it. */
function paintText(context, text, style) {
  const range = document.createRange();
  context.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  context.fillStyle = style.color;
  context.textBaseline = "alphabetic";
  for (const {index, 0: word} of text.data.matchAll(/[^\s\u3000-\u9fff]+|[\u3000-\u9fff]/g)) {
    range.setStart(text, index);
    range.setEnd(text, index + word.length);
    const box = range.getBoundingClientRect();
    const {fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent} = context.measureText(word);
    // No wider than there: browsers narrow brackets between other signs.
    context.fillText(word, box.left, box.top + (box.height + ascent - descent) / 2, box.width + 0.5);
  }
}
