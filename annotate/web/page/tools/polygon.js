// Polygon: click for vertices, drag one to move it, click an edge to add one, Backspace or undo removes the last; Enter, or a
// click on the first vertex, fills it. Until then nothing in the mask changes, and its vertices stay, whatever tool is used.
import { FIGURE, GROUND } from '../mask.js';

const NEAR = 9; // device pixels at which a vertex or edge is meant

// fill sets the pixels whose centers lie inside the polygon, by the even-odd rule.
export function fill(mask, points, value) {
  let y0 = Infinity, y1 = -Infinity;
  for (const p of points) { y0 = Math.min(y0, p.y); y1 = Math.max(y1, p.y); }
  for (let y = Math.max(0, Math.floor(y0)); y < Math.min(mask.height, Math.ceil(y1)); y++) {
    const cy = y + 0.5, xs = [];
    points.forEach((a, i) => {
      const b = points[(i + 1) % points.length];
      if ((a.y <= cy) !== (b.y <= cy)) xs.push(a.x + ((cy - a.y) / (b.y - a.y)) * (b.x - a.x));
    });
    xs.sort((a, b) => a - b);
    for (let i = 0; i + 1 < xs.length; i += 2) mask.span(y, Math.ceil(xs[i] - 0.5), Math.ceil(xs[i + 1] - 0.5), value);
  }
  mask.onDirty(0, 0, mask.width, mask.height);
}

export class Polygon {
  constructor(editor) {
    this.editor = editor;
    this.name = 'polygon';
    this.turned = 'ground';
    this.clicks = true;
    this.points = [];
    this.dropped = [];
    this.before = []; // the points when the pointer went down
    this.drag = -1;
  }

  near(p) {
    const s = this.editor.view.scale;
    return this.points.findIndex((q) => Math.hypot(q.x - p.x, q.y - p.y) * s < NEAR);
  }

  // edge finds the side that a point lies on: the index of its end.
  edge(p) {
    const s = this.editor.view.scale;
    for (let i = 1; i <= this.points.length && this.points.length > 2; i++) {
      const a = this.points[i - 1], b = this.points[i % this.points.length];
      const l2 = (b.x - a.x) ** 2 + (b.y - a.y) ** 2 || 1;
      const t = ((p.x - a.x) * (b.x - a.x) + (p.y - a.y) * (b.y - a.y)) / l2;
      if (t > 0 && t < 1 && Math.hypot(a.x + t * (b.x - a.x) - p.x, a.y + t * (b.y - a.y) - p.y) * s < NEAR) return i;
    }
    return -1;
  }

  down(p) {
    this.moved = false;
    this.start = p;
    this.before = this.points.map((q) => ({ ...q }));
    this.drag = this.near(p);
    if (this.drag >= 0) return;
    const e = this.edge(p);
    this.drag = e >= 0 ? e : this.points.length;
    this.points.splice(this.drag, 0, { x: p.x, y: p.y });
    this.moved = true; // a new vertex does not close
  }

  move(p) {
    if (this.drag < 0) return;
    if (Math.hypot(p.x - this.start.x, p.y - this.start.y) * this.editor.view.scale > 3) this.moved = true;
    if (this.moved) Object.assign(this.points[this.drag], { x: p.x, y: p.y });
  }

  up(p) {
    const closing = this.drag === 0 && !this.moved && this.points.length > 2;
    this.drag = -1;
    if (closing) this.finish(p.shift);
    else this.editor.frame.refresh(); // there is something to undo
  }

  finish(erase = this.editor.settings.ground) {
    if (this.points.length > 2) {
      this.editor.mask.begin(this.name);
      fill(this.editor.mask, this.points, erase ? GROUND : FIGURE);
      this.editor.mask.end();
    }
    this.shows([]);
  }

  // back takes the last vertex away; it tells whether there was one.
  back() {
    const had = this.points.length > 0 || this.dropped.length > 0;
    this.shows(this.points.length > 0 ? this.points.slice(0, -1) : this.dropped);
    this.dropped = [];
    return had;
  }

  drop() {
    this.dropped = this.points; // undo brings them back
    this.shows([]);
  }

  shows(points) {
    this.points = points;
    this.editor.pane.schedule();
    this.editor.frame.refresh();
  }

  cancel() {
    this.points = this.before;
    this.drag = -1;
  }

  draw(g, view, p) {
    if (this.points.length === 0) return;
    g.beginPath();
    for (const q of this.points) g.lineTo(view.fromX(q.x), view.fromY(q.y));
    if (p && this.drag < 0) g.lineTo(view.fromX(p.x), view.fromY(p.y));
    g.closePath();
    g.fillStyle = '#ff289630';
    g.fill();
    g.lineWidth = 2;
    g.strokeStyle = '#ffd65c';
    g.stroke();
    this.points.forEach((q, i) => {
      g.beginPath();
      g.arc(view.fromX(q.x), view.fromY(q.y), i === 0 ? 6 : 4.5, 0, 2 * Math.PI);
      g.fillStyle = '#23272f';
      g.fill();
      g.stroke();
    });
  }
}
