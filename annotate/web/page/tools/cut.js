// Box and scribbles: the server cuts the figure out.
import { post, item } from '../api.js';
import { runsJSON } from '../background.js';
import { decodeRuns, FIGURE, GROUND, VOID } from '../mask.js';
import { combine } from '../ops.js';
import { note } from '../dialog.js';
import { stroke, ring } from './brush.js';

// ask sends a cut and lays its answer over the mask as one change, unless the mask changed meanwhile. The hints hold from
// then on, also where the cut came out as the mask was; undo takes them back.
async function ask(editor, name, request, hints, box) {
  const { mask } = editor, version = mask.version, known = mask.hints;
  editor.busy(1);
  try {
    const answer = decodeRuns(await post(item(editor.key, 'cut'), await request()));
    if (editor.closed) return;
    if (mask.version !== version || mask.hints !== known || mask.open) {
      note('The mask changed while the cut was made: try again.');
      return;
    }
    if (!mask.replace(combine(mask.px, answer, mask.width, box, true), name, hints)) {
      note(hints.marks.length > 0 ? 'The cut is as before. The mark holds for the next one; undo takes it back.' : 'The cut found nothing new here.');
    }
  } catch (e) {
    note(e.message, 'fault');
  } finally {
    editor.busy(-1);
  }
}

const colors = { [FIGURE]: '#5ce08a', [GROUND]: '#ff5c7a' };

// drawHints shows what the next cut goes by: the box, and the marks made in it.
function drawHints(g, view, { box, marks }) {
  if (box) dashed(g, view, { x: box[0], y: box[1] }, { x: box[2], y: box[3] }, 1.5);
  g.globalAlpha = 0.75;
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

// Box begins a cut anew: marks that were made for an earlier one do not hold any more.
export class Box {
  constructor(editor) {
    this.editor = editor;
    this.name = 'box';
  }

  down(p) { this.from = this.to = p; }
  move(p) { this.to = p; }
  cancel() { this.from = null; }

  up() {
    const { from: a, to: b } = this, { width, height } = this.editor.mask;
    this.from = null;
    if (!a) return;
    const clip = (v, most) => Math.round(Math.min(Math.max(v, 0), most));
    const box = [clip(Math.min(a.x, b.x), width), clip(Math.min(a.y, b.y), height), clip(Math.max(a.x, b.x), width), clip(Math.max(a.y, b.y), height)];
    if (box[2] - box[0] < 4 || box[3] - box[1] < 4) return;
    ask(this.editor, this.name, () => ({ box }), { box, marks: [] }, box);
  }

  draw(g, view) {
    if (this.from) dashed(g, view, this.from, this.to, 2);
    else drawHints(g, view, this.editor.mask.hints);
  }
}

// around returns the box, grown so that figure marks outside of it lie inside, with some room for what they belong to.
function around(box, marks, mask) {
  const points = marks.filter((m) => m.value === FIGURE).flatMap((m) => m.way)
    .filter((p) => p.x < box[0] || p.y < box[1] || p.x >= box[2] || p.y >= box[3]);
  if (points.length === 0) return box;
  const room = 0.1 * Math.max(box[2] - box[0], box[3] - box[1]);
  const low = (k, v) => Math.max(0, Math.floor(Math.min(box[k], ...points.map((p) => v(p) - room))));
  const high = (k, v, most) => Math.min(most, Math.ceil(Math.max(box[k], ...points.map((p) => v(p) + room))));
  return [low(0, (p) => p.x), low(1, (p) => p.y), high(2, (p) => p.x, mask.width), high(3, (p) => p.y, mask.height)];
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
    const { editor, way } = this, { mask } = editor;
    this.way = null;
    if (!way) return;
    const px = new Uint8Array(mask.px.length).fill(VOID);
    const canvas = { width: mask.width, height: mask.height, px, onDirty() {},
      span(y, x0, x1, v) { if (y >= 0 && y < this.height) this.px.fill(v, y * this.width + Math.max(0, x0), y * this.width + Math.max(0, Math.min(x1, this.width))); } };
    const marks = [...mask.hints.marks, { way, radius: this.radius(), value: this.value }];
    for (const m of marks) m.way.forEach((p, i) => { const q = m.way[Math.max(0, i - 1)]; stroke(canvas, q.x, q.y, p.x, p.y, m.radius, m.value); });
    const box = mask.hints.box ? around(mask.hints.box, marks, mask) : [0, 0, mask.width, mask.height];
    const texts = [runsJSON(canvas), mask.isEmpty() ? 'null' : runsJSON(mask)]; // the mask as it is now
    const request = async () => `{"box":${JSON.stringify(box)},"marks":${await texts[0]},"mask":${await texts[1]}}`;
    ask(editor, this.name, request, { box: mask.hints.box, marks }, box);
  }

  radius() { return Math.max(1.5, Math.min(4, 3 / this.editor.view.scale)); }

  draw(g, view, p) {
    drawHints(g, view, this.editor.mask.hints);
    if (this.way) line(g, view, this.way, this.value, 4);
    if (p) ring(g, view, p, this.radius(), colors[this.value]);
  }
}

export const scribbles = (editor) => [new Scribble(editor, 'scribbleFigure', FIGURE), new Scribble(editor, 'scribbleGround', GROUND)];
