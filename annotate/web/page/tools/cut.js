// Boxes, clicks and scribbles: the server cuts the figure out.
import { post, item } from '../api.js';
import { runsJSON } from '../background.js';
import { decodeRuns, noHints, FIGURE, GROUND, VOID } from '../mask.js';
import { combine } from '../ops.js';
import { note } from '../dialog.js';
import { stroke, ring } from './brush.js';

// ask sends a cut and makes its answer the mask as lay says, as one change, unless the mask changed meanwhile. The hints hold
// from then on, also where the cut came out as the mask was; undo takes them back.
async function ask(editor, name, request, hints, lay = (cut) => cut) {
  const { mask } = editor, version = mask.version, known = mask.hints;
  editor.busy(1);
  try {
    const answer = await post(item(editor.key, 'cut'), await request());
    if (editor.closed) return;
    if (answer.learning) note('The class model is still being learned: this cut goes by colors alone.');
    if (mask.version !== version || mask.hints !== known || mask.open) {
      note('The mask changed while the cut was made: try again.');
      return;
    }
    if (!mask.replace(lay(decodeRuns(answer)), name, hints)) {
      note(hints.marks.length > 0 ? 'The cut is as before. The mark holds for the next one; undo takes it back.' : 'The cut found nothing new here.');
    }
  } catch (e) {
    note(e.message, 'fault');
  } finally {
    editor.busy(-1);
  }
}

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

// correct asks for a cut of the mask as it is now, by all marks so far: it changes around marks that the mask contradicts.
function correct(editor, name, hints) {
  const { mask } = editor;
  const px = new Uint8Array(mask.px.length).fill(VOID);
  const canvas = { width: mask.width, height: mask.height, px, onDirty() {},
    span(y, x0, x1, v) { if (y >= 0 && y < this.height) this.px.fill(v, y * this.width + Math.max(0, x0), y * this.width + Math.max(0, Math.min(x1, this.width))); } };
  for (const m of hints.marks) m.way.forEach((p, i) => { const q = m.way[Math.max(0, i - 1)]; stroke(canvas, q.x, q.y, p.x, p.y, m.radius, m.value); });
  const texts = [runsJSON(canvas), mask.isEmpty() ? 'null' : runsJSON(mask)]; // the mask as it is now
  const request = async () => `{"boxes":${JSON.stringify(hints.boxes)},"clicks":${JSON.stringify(hints.clicks)},"marks":${await texts[0]},"mask":${await texts[1]}}`;
  return ask(editor, name, request, hints);
}

const markRadius = (view) => Math.max(1.5, Math.min(4, 3 / view.scale));

// cutBoxes makes the mask anew from boxes of the data set, [xMin, yMin, xMax, yMax].
export const cutBoxes = (editor, boxes) => ask(editor, 'box', () => ({ boxes }), { ...noHints, boxes });

const NEAR = 4; // device pixels that a hand may move in a click

// Box cuts by a box that is dragged, or by a click: on what is not in the mask it begins a cut anew, or adds with Shift; on
// what is in the mask it takes away. Marks that were made for an earlier cut do not hold for one that begins anew.
export class Box {
  constructor(editor) {
    this.editor = editor;
    this.name = 'box';
  }

  down(p) { this.from = this.to = { ...p, shift: p.shift !== this.editor.settings.add }; }
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
    const box = boxOf(a, b, mask), { hints } = mask;
    if (box[2] - box[0] < 4 || box[3] - box[1] < 4) return;
    ask(editor, this.name, () => ({ boxes: [box] }), a.shift ? { ...hints, boxes: [...hints.boxes, box] } : { ...noHints, boxes: [box] },
      (cut) => combine(mask.px, cut, mask.width, box, !a.shift));
  }

  click(p) {
    const { editor, name } = this, { mask } = editor, { hints } = mask;
    const x = Math.floor(p.x), y = Math.floor(p.y), radius = markRadius(editor.view);
    if (mask.px[y * mask.width + x] === FIGURE) {
      correct(editor, name, { ...hints, marks: [...hints.marks, { way: [p], radius, value: GROUND }] });
    } else if (p.shift && !mask.isEmpty()) {
      correct(editor, name, { ...hints, clicks: [...hints.clicks, [x, y]], marks: [...hints.marks, { way: [p], radius, value: FIGURE }] });
    } else {
      ask(editor, name, () => ({ clicks: [[x, y]] }), { ...noHints, clicks: [[x, y]] });
    }
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
    const { editor, way } = this, { hints } = editor.mask;
    this.way = null;
    if (way) correct(editor, this.name, { ...hints, marks: [...hints.marks, { way, radius: markRadius(editor.view), value: this.value }] });
  }

  draw(g, view, p) {
    drawHints(g, view, this.editor.mask.hints);
    if (this.way) line(g, view, this.way, this.value, 4);
    if (p) ring(g, view, p, markRadius(view), colors[this.value]);
  }
}

export const scribbles = (editor) => [new Scribble(editor, 'scribbleFigure', FIGURE), new Scribble(editor, 'scribbleGround', GROUND)];
