// Another tier's or revision's mask: in a second pane that moves with the first, or as the difference over the first.
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
    this.what = null; // that is shown, one of choices
    this.other = null; // its pixels
    this.isOver = false;
  }

  // choices lists what can be shown.
  choices() {
    const { detail: d } = this.editor;
    const out = d.tiers.map((t) => ({ kind: 'tier', tier: t, label: t !== 'model' ? `tier ${t}` : d.iou === undefined ? 'mask of the model' : `model, IoU ${d.iou.toFixed(3)}` }));
    for (const l of [d.line, ...d.others]) {
      for (const r of l.revisions) {
        out.push({ kind: 'revision', line: l.line, revision: r.revision, label: `${l.line === 'main' ? '' : l.line + ': '}revision ${r.revision} by ${r.by}${r.aside ? ' (aside)' : ''}` });
      }
    }
    return out;
  }

  async show(what) {
    const { editor } = this;
    this.what = null;
    this.other = null;
    if (what) {
      const path = what.kind === 'tier' ? ['tiers', what.tier] : ['lines', what.line, what.revision];
      try {
        this.other = decodeRuns(await get(item(editor.key, ...path)));
        this.what = what;
        this.label = what.label ?? (what.kind === 'tier' ? `tier ${what.tier}` : `${what.line === 'main' ? '' : what.line + ': '}revision ${what.revision}`);
      } catch (e) {
        note(e.message, 'fault');
      }
    }
    this.draw();
  }

  // model shows the mask of the model that learns as a difference to take from, or hides it.
  async model() {
    const { editor } = this, of = this.choices().find((c) => c.tier === 'model');
    if (!of) { note('No model has a mask of this picture: serve --learn lets one learn.'); return; }
    const shown = this.what?.tier === 'model' && this.isOver;
    await this.show(shown ? null : of);
    if (shown || editor.tool.name !== 'take') editor.setTool(shown ? editor.before : 'take');
    else this.over(true);
  }

  // over chooses whether the other mask is shown as the difference to the one under edit, in one pane, or beside it.
  async over(on) {
    this.isOver = on;
    const first = this.choices().at(-1);
    if (on && !this.what && first) await this.show(first);
    else this.draw();
    if (on && !this.what) note('There is no other mask of this picture.');
    this.editor.frame.refresh();
  }

  draw() {
    const { editor, what, other } = this, over = what && this.isOver;
    editor.pane.other = over ? other : null;
    editor.pane.label.textContent = over ? `pink: only here, green: only in ${this.label}` : editor.pane.name;
    this.pane.root.hidden = !what || over;
    if (!this.pane.root.hidden) {
      this.pane.mask = { px: other, width: editor.mask.width, height: editor.mask.height };
      if (this.pane.levels.length === 0) this.pane.levels = editor.pane.levels.length > 1 ? editor.pane.levels : [this.bitmap];
      Object.assign(this.pane.look, editor.pane.look);
      this.pane.label.textContent = this.label;
      this.pane.redraw();
    }
    editor.pane.redraw();
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
