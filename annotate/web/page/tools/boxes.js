// Boxes of the data set: drag to draw one, drag its sides or corners to correct it; Delete takes away the one touched last.
// Each change is kept at once.
import { note } from '../dialog.js';
import { boxOf } from './cut.js';

const NEAR = 8; // device pixels at which a side is meant

const same = (a, b) => ['xMin', 'yMin', 'xMax', 'yMax'].every((k) => a[k] === b[k]);

export class Boxes {
  constructor(editor) {
    this.editor = editor;
    this.name = 'boxes';
    this.drag = null;
    this.touched = null; // the box that was drawn or corrected last
    this.done = []; // changes to undo: { before, after }
    this.undone = [];
  }

  // grip finds the sides of a box that a point lies on: the box and the corner that stays.
  grip(p) {
    const s = this.editor.view.scale, at = (v, side) => Math.abs(v - side) * s < NEAR;
    for (const box of this.editor.detail.boxes ?? []) {
      const within = (v, a, b) => v > a - NEAR / s && v < b + NEAR / s;
      if (!within(p.x, box.xMin, box.xMax) || !within(p.y, box.yMin, box.yMax)) continue;
      const x = at(p.x, box.xMin) ? 'xMin' : at(p.x, box.xMax) ? 'xMax' : '', y = at(p.y, box.yMin) ? 'yMin' : at(p.y, box.yMax) ? 'yMax' : '';
      if (x || y) return { box, x, y };
    }
    return null;
  }

  down(p) {
    const grip = this.grip(p);
    this.drag = { grip, from: p, now: grip ? grip.box : null };
  }

  move(p) {
    const { grip, from } = this.drag;
    if (!grip) {
      this.drag.now = named(boxOf(from, p, this.editor.mask));
      return;
    }
    const b = { ...grip.box };
    if (grip.x) b[grip.x] = p.x;
    if (grip.y) b[grip.y] = p.y;
    this.drag.now = named(boxOf({ x: b.xMin, y: b.yMin }, { x: b.xMax, y: b.yMax }, this.editor.mask));
  }

  up() {
    const { grip, now } = this.drag ?? {};
    this.drag = null;
    if (!now || now.xMax - now.xMin < 4 || now.yMax - now.yMin < 4 || (grip && same(now, grip.box))) return;
    this.keep([...(this.editor.detail.boxes ?? []).filter((b) => b !== grip?.box), now], now);
  }

  cancel() { this.drag = null; }

  // remove takes away the box that was touched last.
  remove() {
    const boxes = this.editor.detail.boxes ?? [], gone = boxes.find((b) => this.touched && same(b, this.touched));
    if (gone) this.keep(boxes.filter((b) => b !== gone), null);
    else note('Draw or drag a box first: the one touched last is taken away.');
  }

  async keep(boxes, touched) {
    const change = { before: this.editor.detail.boxes ?? [], after: boxes };
    if (!await this.editor.act(['boxes'], { boxes })) return;
    this.touched = touched;
    this.done.push(change);
    this.undone = [];
    this.editor.frame.refresh();
  }

  undo() { return this.step(this.done, this.undone, 'after', 'before'); }
  redo() { return this.step(this.undone, this.done, 'before', 'after'); }

  // step brings the boxes from one side of a change to the other, unless somebody else changed them.
  async step(from, to, is, wanted) {
    const change = from.at(-1), now = this.editor.detail.boxes ?? [];
    if (!change) { note(wanted === 'before' ? 'Nothing to undo.' : 'Nothing to redo.'); return; }
    if (now.length !== change[is].length || now.some((b, i) => !same(b, change[is][i]))) {
      note('The boxes were changed by somebody else: there is nothing to undo any more.');
      this.done = [];
      this.undone = [];
    } else if (await this.editor.act(['boxes'], { boxes: change[wanted] })) {
      from.pop();
      to.push(change);
      this.touched = change[wanted].find((b) => !change[is].some((o) => same(o, b))) ?? null;
    }
    this.editor.frame.refresh();
  }

  draw(g, view) {
    if (this.drag?.now) outline(g, view, this.drag.now);
  }
}

/** @param {number[]} box */
const named = ([xMin, yMin, xMax, yMax]) => ({ xMin, yMin, xMax, yMax });

export function outline(g, view, b) {
  const x = view.fromX(b.xMin), y = view.fromY(b.yMin);
  g.strokeStyle = '#ffdc00';
  g.lineWidth = 2;
  g.strokeRect(x, y, view.fromX(b.xMax) - x, view.fromY(b.yMax) - y);
}
