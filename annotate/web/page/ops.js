// Operations on a whole mask: each returns new pixels and changes nothing.
import { FIGURE, GROUND, VOID } from './mask.js';

// regions labels the 4-connected regions of pixels for which is(value) holds: ids from 1, sizes by id, and which of them touch the border.
function regions(px, width, height, is) {
  const id = new Int32Array(px.length), sizes = [0], border = [false];
  const stack = new Int32Array(px.length);
  for (let start = 0; start < px.length; start++) {
    if (id[start] !== 0 || !is(px[start])) continue;
    const n = sizes.length;
    let size = 0, edge = false, top = 0;
    stack[top++] = start;
    id[start] = n;
    while (top > 0) {
      const i = stack[--top], x = i % width;
      size++;
      if (x === 0 || x === width - 1 || i < width || i >= px.length - width) edge = true;
      if (x > 0 && id[i - 1] === 0 && is(px[i - 1])) { id[i - 1] = n; stack[top++] = i - 1; }
      if (x < width - 1 && id[i + 1] === 0 && is(px[i + 1])) { id[i + 1] = n; stack[top++] = i + 1; }
      if (i >= width && id[i - width] === 0 && is(px[i - width])) { id[i - width] = n; stack[top++] = i - width; }
      if (i < px.length - width && id[i + width] === 0 && is(px[i + width])) { id[i + width] = n; stack[top++] = i + width; }
    }
    sizes.push(size);
    border.push(edge);
  }
  return { id, sizes, border };
}

// differing returns px with the 8-connected region of pixels around at in which the two masks differ taken from other; null where
// they do not differ there.
export function differing(px, other, width, at) {
  if (px[at] === other[at]) return null;
  const out = px.slice(), stack = [at];
  out[at] = other[at];
  while (stack.length > 0) {
    const i = stack.pop(), x = i % width;
    for (const row of [i - width, i, i + width]) {
      for (let j = row - (x > 0 ? 1 : 0); j <= row + (x < width - 1 ? 1 : 0); j++) {
        if (j >= 0 && j < px.length && out[j] !== other[j]) { out[j] = other[j]; stack.push(j); }
      }
    }
  }
  return out;
}

// merged joins two masks that began as base: what only one of them changed is taken; where both did, mine stays.
export const merged = (mine, theirs, base) => mine.map((v, i) => (v === base[i] ? theirs[i] : v));

// fillHoles makes figure of the ground and void that figure encloses.
export function fillHoles(px, width, height) {
  const { id, border } = regions(px, width, height, (v) => v !== FIGURE);
  return px.map((v, i) => (id[i] !== 0 && !border[id[i]] ? FIGURE : v));
}

// keepLargest makes ground of all figure but its largest connected region.
export function keepLargest(px, width, height) {
  const { id, sizes } = regions(px, width, height, (v) => v === FIGURE);
  let best = 0;
  for (let n = 1; n < sizes.length; n++) if (best === 0 || sizes[n] > sizes[best]) best = n;
  return px.map((v, i) => (v === FIGURE && id[i] !== best ? GROUND : v));
}

// invert exchanges figure and ground; void stays.
export const invert = (px) => px.map((v) => (v === FIGURE ? GROUND : v === GROUND ? FIGURE : v));

// voidBand makes void of the pixels that have one of the other label, figure or ground, within radius (in rows and columns).
// Those are the pixels that lie so near to both of two neighbors that differ.
export function voidBand(px, width, height, radius) {
  const out = px.slice();
  const mark = (x0, y0, x1, y1) => { // both inside
    for (let v = Math.max(0, y1 - radius); v <= Math.min(height - 1, y0 + radius); v++) {
      out.fill(VOID, v * width + Math.max(0, x1 - radius), v * width + Math.min(width, x0 + radius + 1));
    }
  };
  const differ = (a, b) => a !== VOID && b !== VOID && a !== b;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const i = y * width + x;
      if (x > 0 && differ(px[i], px[i - 1])) mark(x - 1, y, x, y);
      if (y > 0 && differ(px[i], px[i - width])) mark(x, y - 1, x, y);
    }
  }
  return out;
}

// union adds the figure of a cut to a mask.
export const union = (px, cut) => px.map((v, i) => (cut[i] === FIGURE ? FIGURE : v));
