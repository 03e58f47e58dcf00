// Superpixel painting: click or drag over cells. Shift, the right button or the other end of a pen paints ground.
import { FIGURE, GROUND } from '../mask.js';
import { note } from '../dialog.js';

export class Superpixel {
  constructor(editor) {
    this.editor = editor;
    this.name = 'superpixel';
    this.turned = 'ground';
    this.cells = null;
    this.painted = null;
  }

  // enter fetches the cells of the chosen size.
  async enter() {
    const size = this.editor.settings.cells;
    try {
      const cells = await this.editor.cellStore.get(size);
      if (this.editor.tool !== this || this.editor.settings.cells !== size) return;
      this.cells = cells;
    } catch (e) {
      note(e.message, 'fault');
      return;
    }
    this.editor.pane.cells = { labels: this.cells.labels, hover: -1 };
    this.editor.pane.redraw();
  }

  leave() {
    this.editor.pane.cells = null;
    this.editor.pane.redraw();
  }

  at(p) {
    const x = Math.floor(p.x), y = Math.floor(p.y);
    if (!this.cells || x < 0 || y < 0 || x >= this.cells.width || y >= this.cells.height) return -1;
    return this.cells.labels[y * this.cells.width + x];
  }

  hover(p) {
    const c = this.at(p), pane = this.editor.pane;
    if (!pane.cells || c === pane.cells.hover) return;
    for (const n of [pane.cells.hover, c]) if (n >= 0) pane.changed(...this.cells.boxes[n]);
    pane.cells.hover = c;
  }

  down(p) {
    if (!this.cells) return;
    this.value = p.shift ? GROUND : FIGURE;
    this.painted = new Set();
    this.last = p;
    this.editor.mask.begin(this.name);
    this.move(p);
  }

  move(p) {
    if (!this.painted) return;
    const steps = Math.max(1, Math.ceil(Math.hypot(p.x - this.last.x, p.y - this.last.y) / 2));
    for (let i = 1; i <= steps; i++) {
      const c = this.at({ x: this.last.x + ((p.x - this.last.x) * i) / steps, y: this.last.y + ((p.y - this.last.y) * i) / steps });
      if (c >= 0 && !this.painted.has(c)) this.paint(c);
    }
    this.last = p;
    this.hover(p);
  }

  paint(c) {
    this.painted.add(c);
    const { labels, width, boxes } = this.cells, [x0, y0, x1, y1] = boxes[c];
    for (let y = y0; y < y1; y++) {
      for (let x = x0; x < x1;) {
        if (labels[y * width + x] !== c) { x++; continue; }
        const from = x;
        while (x < x1 && labels[y * width + x] === c) x++;
        this.editor.mask.span(y, from, x, this.value);
      }
    }
    this.editor.mask.onDirty(x0, y0, x1, y1);
  }

  up() { this.painted = null; this.editor.mask.end(); }
  cancel() { this.painted = null; this.editor.mask.cancel(); }
}
