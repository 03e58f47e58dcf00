// Brush, eraser and void brush: discs along the pointer's way.
import { FIGURE, GROUND, VOID } from '../mask.js';

// stroke sets the pixels within radius of the segment from a to b.
export function stroke(mask, ax, ay, bx, by, radius, value) {
  const y0 = Math.floor(Math.min(ay, by) - radius), y1 = Math.ceil(Math.max(ay, by) + radius);
  const dx = bx - ax, dy = by - ay, length2 = dx * dx + dy * dy;
  for (let y = Math.max(0, y0); y < Math.min(mask.height, y1); y++) {
    const cy = y + 0.5;
    let left = Infinity, right = -Infinity;
    const disc = (px, py) => {
      const d2 = radius * radius - (cy - py) * (cy - py);
      if (d2 < 0) return;
      const d = Math.sqrt(d2);
      left = Math.min(left, px - d);
      right = Math.max(right, px + d);
    };
    disc(ax, ay);
    disc(bx, by);
    if (length2 > 0) { // the straight part between the discs: where the line at this height is within radius of the segment
      const n = radius / Math.sqrt(length2);
      for (const side of [-1, 1]) {
        const px = ax - side * dy * n, py = ay + side * dx * n;
        if (dy !== 0) {
          const t = (cy - py) / dy;
          if (t >= 0 && t <= 1) {
            left = Math.min(left, px + t * dx);
            right = Math.max(right, px + t * dx);
          }
        }
      }
    }
    if (left <= right) mask.span(y, Math.ceil(left - 0.5), Math.floor(right - 0.5) + 1, value);
  }
  mask.onDirty(Math.floor(Math.min(ax, bx) - radius), y0, Math.ceil(Math.max(ax, bx) + radius), y1);
}

export class Brush {
  constructor(editor, name, value) {
    this.editor = editor;
    this.name = name;
    this.value = value;
    this.turned = value === FIGURE ? 'ground' : undefined;
    this.sized = true;
  }

  down(p) {
    this.editor.mask.begin(this.name);
    this.last = p;
    this.move(p);
  }

  move(p) {
    const erase = p.shift && this.value === FIGURE;
    stroke(this.editor.mask, this.last.x, this.last.y, p.x, p.y, this.editor.settings.brush / 2, erase ? GROUND : this.value);
    this.last = p;
  }

  up() { this.editor.mask.end(); }
  cancel() { this.editor.mask.cancel(); }

  draw(g, view, p) {
    if (p) ring(g, view, p, this.editor.settings.brush / 2, this.value === VOID ? '#7fdcff' : this.value === FIGURE ? '#ff8ac4' : '#ffffff');
  }
}

// ring draws the brush where the pointer is.
export function ring(g, view, p, radius, color) {
  g.beginPath();
  g.arc(view.fromX(p.x), view.fromY(p.y), Math.max(radius * view.scale, 1.5), 0, 2 * Math.PI);
  g.lineWidth = 3;
  g.strokeStyle = '#000a';
  g.stroke();
  g.lineWidth = 1.5;
  g.strokeStyle = color;
  g.stroke();
}
