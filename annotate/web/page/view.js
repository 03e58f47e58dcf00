// Which part of the picture is on the screen. Positions on the screen are device pixels of the pane.

const MAX_ZOOM = 16;

export class View {
  constructor(width, height) {
    this.width = width; // of the picture
    this.height = height;
    this.scale = 1; // device pixels per picture pixel
    this.x = 0; // where the picture's corner is
    this.y = 0;
    this.paneWidth = 1;
    this.paneHeight = 1;
    this.fitted = true;
    this.listeners = [];
  }

  onChange(f) { this.listeners.push(f); }
  changed() { for (const f of this.listeners) f(); }

  resize(width, height) {
    if (width === this.paneWidth && height === this.paneHeight) return;
    const cx = this.toX(this.paneWidth / 2), cy = this.toY(this.paneHeight / 2);
    this.paneWidth = width;
    this.paneHeight = height;
    if (this.fitted) { this.fit(); return; }
    this.x = width / 2 - cx * this.scale;
    this.y = height / 2 - cy * this.scale;
    this.clamp();
  }

  fitScale() { return Math.min(this.paneWidth / this.width, this.paneHeight / this.height) * 0.96; }

  fit() {
    this.scale = Math.min(this.fitScale(), MAX_ZOOM);
    this.x = (this.paneWidth - this.width * this.scale) / 2;
    this.y = (this.paneHeight - this.height * this.scale) / 2;
    this.fitted = true;
    this.changed();
  }

  // zoomAt changes the scale by a factor and keeps what is at (sx, sy) there.
  zoomAt(sx, sy, factor) {
    const least = Math.min(this.fitScale() / 2, 1);
    const scale = Math.min(Math.max(this.scale * factor, least), MAX_ZOOM);
    const px = this.toX(sx), py = this.toY(sy);
    this.scale = scale;
    this.x = sx - px * scale;
    this.y = sy - py * scale;
    this.fitted = false;
    this.clamp();
  }

  zoom(factor) { this.zoomAt(this.paneWidth / 2, this.paneHeight / 2, factor); }

  pan(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.fitted = false;
    this.clamp();
  }

  // center brings a picture pixel to the middle.
  center(px, py) {
    this.x = this.paneWidth / 2 - px * this.scale;
    this.y = this.paneHeight / 2 - py * this.scale;
    this.fitted = false;
    this.clamp();
  }

  // clamp keeps some of the picture in the pane.
  clamp() {
    const keep = 40;
    this.x = Math.min(Math.max(this.x, keep - this.width * this.scale), this.paneWidth - keep);
    this.y = Math.min(Math.max(this.y, keep - this.height * this.scale), this.paneHeight - keep);
    this.changed();
  }

  toX(sx) { return (sx - this.x) / this.scale; }
  toY(sy) { return (sy - this.y) / this.scale; }
  fromX(px) { return px * this.scale + this.x; }
  fromY(py) { return py * this.scale + this.y; }
}
