// Boxes, clicks and scribbles: the server cuts the figure out.
import { post, item } from '../api.js';
import { runsJSON } from '../background.js';
import { decodeRuns, noHints, FIGURE, GROUND, VOID } from '../mask.js';
import { union } from '../ops.js';
import { note } from '../dialog.js';
import { stroke, ring } from './brush.js';

/**
 * @typedef {object} Cut that a tool asks for
 * @property {object | Promise<string>} request an object, or its text
 * @property {{ boxes: number[][], clicks: number[][], marks: object[] }} hints hold from then on
 * @property {{ way: { x: number, y: number }[], radius: number, value: number }} [mark] was made for it
 * @property {(cut: Uint8Array) => Uint8Array} [lay] lays the answer over the mask
 */

let said = []; // messages about the last cut: the next one takes them away
const say = (text, kind) => { said.push(note(text, kind)); };
const unsay = () => { for (const n of said.splice(0)) n.remove(); };

// ask asks for a cut when those before it were answered; make makes it from the mask as it is by then. One that was taken back
// is not asked for, and its answer is not heard.
/** @type {(editor: import('../editor.js').Editor, name: string, make: () => Cut) => void} */
function ask(editor, name, make) {
  unsay();
  editor.asked.push(make);
  editor.frame.refresh();
  const wanted = () => !editor.closed && editor.asked.includes(make);
  editor.cuts = editor.cuts.then(async () => {
    try {
      if (wanted() && editor.mayEdit()) await cut(editor, name, make(), wanted);
    } catch (e) {
      if (wanted()) say(e.message, 'fault');
    }
    editor.asked = editor.asked.filter((m) => m !== make);
    editor.frame.refresh();
  });
}

// cut makes the server's answer the mask, as one change, unless the mask changed meanwhile. The hints hold from then on, also
// where the cut came out as the mask was; undo takes them back.
/** @type {(editor: import('../editor.js').Editor, name: string, asked: Cut, wanted: () => boolean) => Promise<void>} */
async function cut(editor, name, { request, hints, mark, lay = (px) => px }, wanted) {
  const { mask } = editor, version = mask.version, known = mask.hints;
  const answer = await post(item(editor.key, 'cut'), await request);
  if (!wanted()) return;
  unsay();
  if (answer.learning) say('The class model is still being learned: this cut goes by colors alone.');
  if (mask.version !== version || mask.hints !== known || mask.open) {
    say('The mask changed while the cut was made: try again.');
    return;
  }
  const px = lay(decodeRuns(answer)), little = mark?.way.length === 1 && isLittle(mask, px);
  if (!mask.replace(px, name, hints)) {
    say(hints.marks.length > 0 ? 'The cut is as before. The mark holds for the next one; undo takes it back.'
      : 'The cut found nothing new here.');
  } else if (little) {
    const [fault, tool] = mark.value === GROUND ? ['wrong', 'Scribble ground'] : ['missing', 'Scribble figure'];
    say(`The click changed hardly anything. If more is ${fault} here, draw over it with ${tool}.`);
  }
}

// isLittle tells whether a cut changed under a two-thousandth of the picture.
const isLittle = ({ px }, now) => now.reduce((n, v, i) => n + Number(v !== px[i]), 0) < px.length / 2000;

const colors = { [FIGURE]: '#5ce08a', [GROUND]: '#ff5c7a' };

// drawHints shows what the next cut goes by: boxes, clicks and marks.
function drawHints(g, view, { boxes, clicks, marks }) {
  for (const b of boxes) dashed(g, view, { x: b[0], y: b[1] }, { x: b[2], y: b[3] }, 1.5);
  g.globalAlpha = 0.75;
  for (const [x, y] of clicks) line(g, view, [{ x: x + 0.5, y: y + 0.5 }], FIGURE, 8);
  for (const m of marks) line(g, view, m.way, m.value, Math.max(3, 2 * m.radius * view.scale));
  g.globalAlpha = 1;
}

function dashed(g, view, a, b, width) {
  g.lineWidth = width;
  g.strokeStyle = '#ffd65c';
  g.setLineDash([6, 4]);
  g.strokeRect(view.fromX(Math.min(a.x, b.x)), view.fromY(Math.min(a.y, b.y)), Math.abs(b.x - a.x) * view.scale, Math.abs(b.y - a.y) * view.scale);
  g.setLineDash([]);
}

function line(g, view, way, value, width) {
  g.beginPath();
  for (const q of [way[0], ...way]) g.lineTo(view.fromX(q.x), view.fromY(q.y)); // a click is a dot
  g.lineWidth = width;
  g.lineCap = g.lineJoin = 'round';
  g.strokeStyle = colors[value];
  g.stroke();
}

// correct cuts the mask as it is now again, by all marks so far and one more: it changes around marks that the mask contradicts.
function correct({ mask }, mark, added = []) {
  const hints = { ...mask.hints, clicks: [...mask.hints.clicks, ...added], marks: [...mask.hints.marks, mark] };
  const px = new Uint8Array(mask.px.length).fill(VOID);
  const canvas = { width: mask.width, height: mask.height, px, onDirty() {},
    span(y, x0, x1, v) { if (y >= 0 && y < this.height) this.px.fill(v, y * this.width + Math.max(0, x0), y * this.width + Math.max(0, Math.min(x1, this.width))); } };
  for (const m of hints.marks) m.way.forEach((p, i) => { const q = m.way[Math.max(0, i - 1)]; stroke(canvas, q.x, q.y, p.x, p.y, m.radius, m.value); });
  const { boxes, clicks } = hints, texts = [runsJSON(canvas), mask.isEmpty() ? 'null' : runsJSON(mask)]; // the mask as it is now
  const request = Promise.all(texts).then(([marks, was]) => `${JSON.stringify({ boxes, clicks }).slice(0, -1)},"marks":${marks},"mask":${was}}`);
  return { request, hints, mark };
}

const markRadius = (view) => Math.max(1.5, Math.min(4, 3 / view.scale));

// cutBoxes makes the mask anew from boxes, [xMin, yMin, xMax, yMax]: nothing outside of them stays.
export const cutBoxes = (editor, boxes) => ask(editor, 'box', () => ({ request: { boxes }, hints: { ...noHints, boxes } }));

const NEAR = 4; // device pixels that a hand may move in a click

// Box cuts by a box that is dragged, or by a click: both make the mask anew, or add to it with Shift. A click on what is in the
// mask takes away. Hints that were given for an earlier cut do not hold for one that begins anew.
export class Box {
  constructor(editor) {
    this.editor = editor;
    this.name = 'box';
    this.turned = 'add';
  }

  down(p) { this.from = this.to = p; }
  move(p) { this.to = p; }
  cancel() { this.from = null; }

  up() {
    const { from: a, to: b, editor } = this, { mask } = editor;
    this.from = null;
    if (!a) return;
    if (Math.hypot(b.x - a.x, b.y - a.y) * editor.view.scale < NEAR) {
      if (a.x >= 0 && a.y >= 0 && a.x < mask.width && a.y < mask.height) this.click(a);
      return;
    }
    const box = boxOf(a, b, mask);
    if (box[2] - box[0] < 4 || box[3] - box[1] < 4) return;
    if (!a.shift) { cutBoxes(editor, [box]); return; }
    ask(editor, this.name, () => ({
      request: { boxes: [box] }, hints: { ...mask.hints, boxes: [...mask.hints.boxes, box] }, lay: (px) => union(mask.px, px),
    }));
  }

  click(p) {
    const { editor } = this, { mask } = editor;
    const x = Math.floor(p.x), y = Math.floor(p.y), radius = markRadius(editor.view), wrong = mask.px[y * mask.width + x] === FIGURE;
    ask(editor, this.name, () => {
      if (wrong) return correct(editor, { way: [p], radius, value: GROUND });
      if (p.shift && !mask.isEmpty()) return correct(editor, { way: [p], radius, value: FIGURE }, [[x, y]]);
      return { request: { clicks: [[x, y]] }, hints: { ...noHints, clicks: [[x, y]] } };
    });
  }

  draw(g, view) {
    drawHints(g, view, this.editor.mask.hints);
    if (this.from) dashed(g, view, this.from, this.to, 2);
  }
}

// boxOf returns the box that two corners span in the picture, in whole pixels.
export function boxOf(a, b, { width, height }) {
  const clip = (v, most) => Math.round(Math.min(Math.max(v, 0), most));
  return [clip(Math.min(a.x, b.x), width), clip(Math.min(a.y, b.y), height), clip(Math.max(a.x, b.x), width), clip(Math.max(a.y, b.y), height)];
}

// Scribble marks figure or ground; when the stroke ends, the cut is made again with all marks so far and the mask as a hint.
export class Scribble {
  constructor(editor, name, value) {
    this.editor = editor;
    this.name = name;
    this.value = value;
  }

  down(p) {
    this.way = [p];
    this.last = p;
  }

  move(p) {
    this.way.push(p);
    this.last = p;
  }

  cancel() { this.way = null; }

  up() {
    const { editor, way } = this, mark = { way, radius: markRadius(editor.view), value: this.value };
    this.way = null;
    if (way) ask(editor, this.name, () => correct(editor, mark));
  }

  draw(g, view, p) {
    drawHints(g, view, this.editor.mask.hints);
    if (this.way) line(g, view, this.way, this.value, 4);
    if (p) ring(g, view, p, markRadius(view), colors[this.value]);
  }
}

export const scribbles = (editor) => [new Scribble(editor, 'scribbleFigure', FIGURE), new Scribble(editor, 'scribbleGround', GROUND)];
