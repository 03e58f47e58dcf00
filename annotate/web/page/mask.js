// The mask under edit: one byte per pixel, 0 ground, 1 figure, 255 void, with undo.

export const GROUND = 0, FIGURE = 1, VOID = 255;

const TILE = 64;
const MAX_UNDO_BYTES = 256 << 20;

// decodeRuns fills pixels from what the server sends.
export function decodeRuns(r) {
  const px = new Uint8Array(r.width * r.height);
  for (let i = 0, at = 0; i < r.runs.length; i += 2) {
    px.fill(r.runs[i], at, at += r.runs[i + 1]);
  }
  return px;
}

// encodeRuns is its inverse.
export function encodeRuns(px, width, height) {
  const runs = [];
  for (let i = 0; i < px.length;) {
    const v = px[i];
    let j = i + 1;
    while (j < px.length && px[j] === v) j++;
    runs.push(v, j - i);
    i = j;
  }
  return { width, height, runs };
}

export const noHints = { boxes: [], clicks: [], marks: [] };

// A Mask records every change as the tiles that it touched, as they were before.
export class Mask {
  constructor(width, height) {
    this.width = width;
    this.height = height;
    this.px = new Uint8Array(width * height);
    this.version = 0; // of the content: differs after every finished change
    this.tools = {}; // finished changes by tool, since they were last taken
    this.hints = noHints; // what cuts go by: undone and redone with the pixels; replaced, never changed
    /** @type {(x0: number, y0: number, x1: number, y1: number) => void} */
    this.onDirty = () => {}; // pixels changed
    this.onChange = () => {}; // a change was finished, undone or redone
    this.tilesAcross = Math.ceil(width / TILE);
    this.done = [];
    this.undone = [];
    this.open = null;
  }

  begin(tool) {
    if (this.open) this.end();
    this.open = { tool, tiles: new Map(), bytes: 0, hints: this.hints };
  }

  // span sets pixels x0 <= x < x1 of row y, clipped to the picture, between begin and end.
  span(y, x0, x1, v) {
    if (y < 0 || y >= this.height) return;
    x0 = Math.max(x0, 0);
    x1 = Math.min(x1, this.width);
    if (x0 >= x1) return;
    const row = Math.floor(y / TILE) * this.tilesAcross;
    for (let t = Math.floor(x0 / TILE); t <= Math.floor((x1 - 1) / TILE); t++) {
      if (!this.open.tiles.has(row + t)) this.keep(row + t);
    }
    this.px.fill(v, y * this.width + x0, y * this.width + x1);
  }

  // replace sets all pixels as one change, and what cuts go by.
  replace(px, tool, hints = this.hints) {
    this.begin(tool);
    this.hints = hints;
    for (let y = 0; y < this.height; y++) {
      for (let x = 0, at = y * this.width; x < this.width;) {
        if (px[at + x] === this.px[at + x]) { x++; continue; }
        const from = x, v = px[at + x];
        while (x < this.width && px[at + x] === v && this.px[at + x] !== v) x++;
        this.span(y, from, x, v);
      }
    }
    this.onDirty(0, 0, this.width, this.height);
    return this.end();
  }

  // end finishes a change and tells whether pixels changed. One that changed neither pixels nor hints leaves no trace; one of
  // hints alone is a step to undo, and nothing to save.
  end() {
    const change = this.open;
    this.open = null;
    if (!change) return false;
    const painted = [...change.tiles].some(([t, before]) => this.differs(t, before));
    if (!painted) change.tiles.clear();
    if (!painted && change.hints === this.hints) return false;
    this.done.push(change);
    this.undone = [];
    let bytes = 0;
    for (let i = this.done.length - 1; i >= 0; i--) {
      bytes += this.done[i].bytes;
      if (bytes > MAX_UNDO_BYTES && i < this.done.length - 10) {
        this.done.splice(0, i + 1);
        break;
      }
    }
    if (painted) {
      this.tools[change.tool] = (this.tools[change.tool] ?? 0) + 1;
      this.version++;
    }
    this.onChange();
    return painted;
  }

  // cancel takes an unfinished change back.
  cancel() {
    if (!this.open) return;
    this.swap(this.open);
    this.open = null;
  }

  undo() { return this.step(this.done, this.undone); }
  redo() { return this.step(this.undone, this.done); }

  step(from, to) {
    this.end();
    const change = from.pop();
    if (!change) return false;
    this.swap(change);
    to.push(change);
    if (change.tiles.size > 0) this.version++;
    this.onChange();
    return true;
  }

  rect(t) {
    const x = (t % this.tilesAcross) * TILE, y = Math.floor(t / this.tilesAcross) * TILE;
    return [x, y, Math.min(x + TILE, this.width), Math.min(y + TILE, this.height)];
  }

  keep(t) {
    const tile = this.copy(t);
    this.open.tiles.set(t, tile);
    this.open.bytes += tile.length;
  }

  copy(t) {
    const [x0, y0, x1, y1] = this.rect(t);
    const out = new Uint8Array((x1 - x0) * (y1 - y0));
    for (let y = y0, at = 0; y < y1; y++, at += x1 - x0) {
      out.set(this.px.subarray(y * this.width + x0, y * this.width + x1), at);
    }
    return out;
  }

  differs(t, tile) {
    return this.copy(t).some((v, i) => v !== tile[i]);
  }

  // swap exchanges the tiles of a change with the mask's.
  swap(change) {
    [change.hints, this.hints] = [this.hints, change.hints];
    for (const [t, tile] of change.tiles) {
      const [x0, y0, x1, y1] = this.rect(t);
      change.tiles.set(t, this.copy(t));
      for (let y = y0, at = 0; y < y1; y++, at += x1 - x0) {
        this.px.set(tile.subarray(at, at + x1 - x0), y * this.width + x0);
      }
      this.onDirty(x0, y0, x1, y1);
    }
  }

  runs() { return encodeRuns(this.px, this.width, this.height); }
  isEmpty() { return !this.px.includes(FIGURE); }
}
