// The second pane: the same picture with another tier's or revision's mask, moving with the first.
import { get, item } from './api.js';
import { decodeRuns } from './mask.js';
import { note } from './dialog.js';
import { Pane } from './pane.js';

export class Compare {
  constructor(editor, bitmap) {
    this.editor = editor;
    this.bitmap = bitmap;
    this.pane = new Pane(editor.view);
    this.pane.resize = () => { // the view belongs to the first pane
      const { root } = this.pane, dpr = window.devicePixelRatio || 1;
      for (const c of [this.pane.picture, this.pane.overlay, this.pane.ui]) {
        c.width = Math.max(1, Math.round(root.clientWidth * dpr));
        c.height = Math.max(1, Math.round(root.clientHeight * dpr));
      }
      this.pane.redraw();
    };
    this.pane.drawUI = (g) => this.cross(g);
    this.what = null;
  }

  // choices lists what can be shown.
  choices() {
    const { detail: d } = this.editor;
    const out = d.tiers.map((t) => ({ kind: 'tier', tier: t, label: t === 'model' ? `model, IoU ${d.iou.toFixed(3)}` : `tier ${t}` }));
    for (const l of [d.line, ...d.others]) {
      for (const r of l.revisions) {
        out.push({ kind: 'revision', line: l.line, revision: r.revision, label: `${l.line === 'main' ? '' : l.line + ': '}revision ${r.revision} by ${r.by}${r.aside ? ' (aside)' : ''}` });
      }
    }
    return out;
  }

  async show(what) {
    const { editor } = this;
    if (!what) {
      this.what = null;
      this.pane.root.hidden = true;
      return;
    }
    const path = what.kind === 'tier' ? ['tiers', what.tier] : ['lines', what.line, what.revision];
    try {
      const runs = await get(item(editor.key, ...path));
      this.pane.mask = { px: decodeRuns(runs), width: runs.width, height: runs.height };
    } catch (e) {
      note(e.message, 'fault');
      return;
    }
    if (this.pane.levels.length === 0) this.pane.levels = editor.pane.levels.length > 1 ? editor.pane.levels : [this.bitmap];
    Object.assign(this.pane.look, editor.pane.look);
    this.what = what;
    this.pane.label.textContent = what.label ?? (what.kind === 'tier' ? `tier ${what.tier}` : `${what.line === 'main' ? '' : what.line + ': '}revision ${what.revision}`);
    this.pane.root.hidden = false;
    this.pane.redraw();
  }

  // toggle shows the first thing that there is, or hides the pane.
  async toggle() {
    if (this.what) return this.show(null);
    const first = this.choices()[0];
    if (!first) { note('There is no other mask of this picture.'); return undefined; }
    return this.show(first);
  }

  cross(g) {
    const { pointer, view } = this.editor;
    if (!pointer) return;
    const x = view.fromX(pointer.x), y = view.fromY(pointer.y);
    g.strokeStyle = '#ffffff';
    g.lineWidth = 1.5;
    g.beginPath();
    g.moveTo(x - 10, y);
    g.lineTo(x + 10, y);
    g.moveTo(x, y - 10);
    g.lineTo(x, y + 10);
    g.stroke();
  }
}
