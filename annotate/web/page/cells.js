// Superpixels, as the server computes them.
import { getBytes, item, session } from './api.js';

// decodeCells reads the server's varints: labels by pixel, and for each cell the box [x0, y0, x1, y1] around it.
export function decodeCells(bytes) {
  let at = 0;
  const varint = () => {
    let v = 0, shift = 1;
    for (;;) {
      const b = bytes[at++];
      v += (b & 127) * shift;
      if (b < 128) return v;
      shift *= 128;
    }
  };
  const signed = () => { const v = varint(); return v % 2 === 0 ? v / 2 : -(v + 1) / 2; };
  const width = varint(), height = varint(), n = varint();
  const labels = new Int32Array(width * height);
  const boxes = Array.from({ length: n }, () => [width, height, 0, 0]);
  for (let i = 0, label = 0; i < labels.length;) {
    label += signed();
    const end = i + varint(), b = boxes[label];
    labels.fill(label, i, end);
    while (i < end) { // a run may go on in the next rows
      const y = Math.floor(i / width), x = i - y * width, stop = Math.min(end, (y + 1) * width);
      b[0] = Math.min(b[0], x);
      b[1] = Math.min(b[1], y);
      b[2] = Math.max(b[2], x + stop - i);
      b[3] = Math.max(b[3], y + 1);
      i = stop;
    }
  }
  return { width, height, n, labels, boxes };
}

// A CellStore fetches the cells of one item, each size once.
export class CellStore {
  constructor(key, image) {
    this.key = key;
    this.image = image; // the digest of the picture's file
    this.sizes = new Map();
  }

  get(size) {
    if (!this.sizes.has(size)) {
      const p = getBytes(`${item(this.key, 'cells', size)}?v=${this.image}-${session.cells[size]}`).then(decodeCells);
      p.catch(() => this.sizes.delete(size));
      this.sizes.set(size, p);
    }
    return this.sizes.get(size);
  }
}
