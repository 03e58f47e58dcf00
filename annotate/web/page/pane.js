// A pane shows the picture with a mask over it. Three canvases lie on each other: the picture, drawn anew only when the
// view moves; the mask, of which only the part that changed is drawn; and what tools show (cursor, polygon, pins).
// The mask is sampled for each screen pixel, so a stroke costs the same on a picture of any size.
import { el } from './dom.js';
import { FIGURE, VOID } from './mask.js';

const rgba = (r, g, b, a) => ((a << 24) | (b << 16) | (g << 8) | r) >>> 0; // as it lies in an ImageData

export class Pane {
  constructor(view) {
    this.view = view;
    this.look = { opacity: 0.45, contour: false, hidden: false };
    this.mask = null; // { px, width, height }
    this.other = null; // the pixels of another mask, while the difference to it is shown
    this.cells = null; // { labels, hover } while superpixels are painted
    this.levels = [];
    this.picture = el('canvas', { class: 'layer' });
    this.overlay = el('canvas', { class: 'layer' });
    this.ui = el('canvas', { class: 'layer', role: 'img', 'aria-label': 'picture and mask' });
    this.label = el('div', { class: 'pane-label' });
    this.name = ''; // what it shows, where that needs to be said
    this.root = el('div', { class: 'pane' }, this.picture, this.overlay, this.ui, this.label);
    /** @type {(context: CanvasRenderingContext2D) => void} */
    this.drawUI = () => {}; // what tools show
    this.dirty = null; // device pixels of the overlay to draw
    this.all = true;
    this.frame = 0;
    this.input = null; // when the input came that is not drawn yet
    this.delays = [];
    view.onChange(() => this.redraw());
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.root);
  }

  close() {
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    for (const l of this.levels.slice(1)) l.close?.();
  }

  resize() {
    const dpr = window.devicePixelRatio || 1;
    const w = Math.max(1, Math.round(this.root.clientWidth * dpr)), h = Math.max(1, Math.round(this.root.clientHeight * dpr));
    if (this.picture.width === w && this.picture.height === h) return;
    for (const c of [this.picture, this.overlay, this.ui]) { c.width = w; c.height = h; }
    this.view.resize(w, h);
    this.redraw();
  }

  async setPicture(bitmap) {
    this.levels = [bitmap];
    this.redraw();
    for (let w = bitmap.width, h = bitmap.height; w * h > 2e6;) { // half sizes, for drawing large pictures small
      w = Math.ceil(w / 2);
      h = Math.ceil(h / 2);
      this.levels.push(await createImageBitmap(this.levels.at(-1), { resizeWidth: w, resizeHeight: h, resizeQuality: 'medium' }));
    }
    this.redraw();
  }

  redraw() {
    this.all = true;
    this.schedule();
  }

  // changed draws a part of the mask again, in picture pixels; 2 more for the contour.
  changed(x0, y0, x1, y1) {
    const v = this.view;
    const r = [v.fromX(x0) - 3, v.fromY(y0) - 3, v.fromX(x1) + 3, v.fromY(y1) + 3];
    const d = this.dirty;
    this.dirty = d ? [Math.min(d[0], r[0]), Math.min(d[1], r[1]), Math.max(d[2], r[2]), Math.max(d[3], r[3])] : r;
    this.schedule();
  }

  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => { this.frame = 0; this.draw(); });
  }

  draw() {
    if (this.all) {
      this.drawPicture();
      this.dirty = [0, 0, this.overlay.width, this.overlay.height];
    }
    this.all = false;
    if (this.dirty) this.drawOverlay(this.dirty);
    this.dirty = null;
    const g = this.ui.getContext('2d');
    g.clearRect(0, 0, this.ui.width, this.ui.height);
    this.drawUI(g);
    if (this.input) { // how long the person waited, for the last few inputs
      this.delays.push(performance.now() - this.input);
      if (this.delays.length > 200) this.delays.shift();
      this.input = null;
    }
  }

  drawPicture() {
    const g = this.picture.getContext('2d', { alpha: false });
    const { view: v } = this;
    g.fillStyle = '#17191d';
    g.fillRect(0, 0, this.picture.width, this.picture.height);
    if (this.levels.length === 0) return;
    let level = 0;
    while (level + 1 < this.levels.length && v.scale * 2 ** (level + 1) <= 1) level++;
    g.imageSmoothingEnabled = v.scale < 6;
    g.drawImage(this.levels[level], v.x, v.y, v.width * v.scale, v.height * v.scale);
  }

  // drawOverlay computes the overlay's pixels in a rectangle of the screen.
  drawOverlay(rect) {
    const g = this.overlay.getContext('2d');
    const { view: v, mask: m } = this;
    const x0 = Math.max(0, Math.floor(rect[0]), Math.floor(v.x)), x1 = Math.min(this.overlay.width, Math.ceil(rect[2]), Math.ceil(v.fromX(v.width)));
    const y0 = Math.max(0, Math.floor(rect[1]), Math.floor(v.y)), y1 = Math.min(this.overlay.height, Math.ceil(rect[3]), Math.ceil(v.fromY(v.height)));
    g.clearRect(rect[0], rect[1], rect[2] - rect[0], rect[3] - rect[1]);
    if (!m || x0 >= x1 || y0 >= y1) return;
    const w = x1 - x0, h = y1 - y0;
    const image = g.createImageData(w, h);
    const out = new Uint32Array(image.data.buffer);
    const a = this.look.hidden ? 0 : Math.round(255 * this.look.opacity);
    const figure = this.look.contour ? 0 : rgba(255, 40, 150, a), none = this.look.contour ? 0 : rgba(70, 200, 255, a);
    const line = this.look.hidden ? 0 : rgba(255, 214, 92, 255);
    const cells = this.cells?.labels, hover = this.cells ? this.cells.hover : -1;
    const { other } = this;
    const both = rgba(255, 255, 255, a >> 1), theirs = rgba(60, 230, 110, a);
    const hot = rgba(255, 255, 255, 120), grid = rgba(255, 255, 255, 46);
    const col = new Int32Array(w + 1); // the picture's column left of and under each screen pixel
    for (let x = 0; x <= w; x++) col[x] = Math.min(Math.max(Math.floor(v.toX(x0 + x - 0.5)), 0), m.width - 1);
    const { px } = m;
    let before = -1, inner = false; // the picture's row of the line above, and whether that lay inside of it
    let above = Math.min(Math.max(Math.floor(v.toY(y0 - 0.5)), 0), m.height - 1) * m.width;
    for (let y = 0; y < h; y++) {
      const row = Math.min(Math.max(Math.floor(v.toY(y0 + y + 0.5)), 0), m.height - 1) * m.width;
      if (inner && row === before) { // enlarged: as the line above
        out.copyWithin(y * w, (y - 1) * w, y * w);
        continue;
      }
      inner = row === above;
      before = row;
      for (let x = 0; x < w; x++) {
        const i = row + col[x + 1], left = row + col[x], up = above + col[x + 1];
        const p = px[i];
        let c = p === FIGURE ? figure : p === VOID ? none : 0;
        if (other) {
          const q = other[i], differs = p !== q;
          c = differs ? (p === FIGURE ? figure : q === FIGURE ? theirs : none) : p === FIGURE ? both : c;
          if ((px[left] !== other[left]) !== differs || (px[up] !== other[up]) !== differs) c = line;
        } else if (px[left] !== p || px[up] !== p) c = line;
        else if (cells) {
          if (cells[i] === hover) c = hot;
          else if (cells[left] !== cells[i] || cells[up] !== cells[i]) c = c === 0 ? grid : c;
        }
        out[y * w + x] = c;
      }
      above = row;
    }
    g.putImageData(image, x0, y0);
  }
}
