// What the editor's keys and buttons do, by the names of the keyboard map.
import { session } from './api.js';
import { keyFor, showHelp } from './keys.js';
import { note } from './dialog.js';
import { noHints } from './mask.js';
import { fillHoles, invert, keepLargest, voidBand } from './ops.js';
import { titles } from './tools/index.js';
import { cutBoxes } from './tools/cut.js';

// filterOf makes the picture brighter or of more contrast on the screen; its pixels stay.
export const filterOf = (s) => (s.brightness === 100 && s.contrast === 100 ? '' : `brightness(${s.brightness}%) contrast(${s.contrast}%)`);

export function actions(editor) {
  const { settings, view, mask } = editor;
  const whole = (name, f, hints) => () => {
    if (!editor.mayEdit()) { editor.explainReadOnly(); return; }
    editor.effort.click(name);
    if (!mask.replace(f(mask.px, mask.width, mask.height), name, hints)) note('Nothing to change.');
  };
  const look = (change) => {
    change(settings);
    for (const p of [editor.pane, editor.compare.pane]) {
      Object.assign(p.look, { opacity: settings.opacity, contour: settings.contour, hidden: settings.hidden ?? false });
      p.picture.style.filter = filterOf(settings);
      p.redraw();
    }
    editor.frame.refresh();
  };
  const size = (f) => {
    if (editor.tool.name === 'superpixel') {
      settings.cells = Math.min(Math.max(settings.cells + (f > 1 ? -1 : 1), 0), session.cells.length - 1);
      editor.tool.enter();
    } else {
      settings.brush = Math.min(Math.max(Math.round(settings.brush * f + (f > 1 ? 0.5 : -0.5)), 1), 400);
    }
    editor.frame.refresh();
    editor.pane.schedule();
  };
  // Vertices are in no mask yet: what would leave them behind says so first.
  /** @returns {import('./tools/polygon.js').Polygon} */
  const polygon = () => editor.tools.get('polygon');
  const finished = (f) => () => {
    if (polygon().points.length === 0) return f();
    editor.setTool('polygon');
    return note(`The polygon is not filled yet. ${keyFor('editor', 'finish')} fills it, ${keyFor('editor', 'clear')} drops it.`);
  };
  /** @returns {import('./tools/boxes.js').Boxes | null} */
  const boxed = () => (editor.tool.name === 'boxes' && editor.mayEdit() ? editor.tool : null);
  const clear = whole('clear', (px) => new Uint8Array(px.length), noHints);
  const step = () => view.paneWidth / 8;
  const out = {
    next: finished(() => editor.nav.next()),
    previous: finished(() => editor.nav.previous()),
    queue: finished(() => editor.nav.queue()),
    save: () => editor.saver.save(true).catch((e) => { if (e.status !== 409) note(e.message, 'fault'); }),
    accept: finished(() => editor.accept()),
    reject: finished(() => editor.reject()),
    setAside: finished(() => editor.setAside()),
    reopen: () => {
      if (editor.detail.moves.includes('edited')) editor.act(['state'], { to: 'edited', base: editor.detail.line.head });
      else note('There is nothing here for you to reopen.');
    },
    undo: () => { if (editor.dropCut()) editor.frame.refresh(); else if (boxed()) boxed().undo(); else if (editor.mayEdit() && !(editor.tool === polygon() && polygon().back()) && !mask.undo()) note('Nothing to undo.'); editor.pane.schedule(); },
    redo: () => { if (boxed()) boxed().redo(); else if (editor.mayEdit() && !mask.redo()) note('Nothing to redo.'); editor.pane.schedule(); },
    model: () => editor.compare.model(),
    smaller: () => size(0.8),
    larger: () => size(1.25),
    fill: whole('fill', fillHoles),
    largest: whole('largest', keepLargest),
    invert: whole('invert', invert),
    takeAll: () => { if (editor.mayEdit()) { editor.effort.click('take'); editor.tools.get('take').all(); } else editor.explainReadOnly(); },
    voidBand: whole('voidBand', (px, w, h) => voidBand(px, w, h, settings.band)),
    cutBoxes: () => {
      const boxes = (editor.detail.boxes ?? []).map((b) => [b.xMin, b.yMin, b.xMax, b.yMax]);
      if (!editor.mayEdit()) editor.explainReadOnly();
      else if (boxes.length > 0) { editor.effort.click('box'); cutBoxes(editor, boxes); }
      else note(`This picture has no box: ${keyFor('editor', 'boxes')} draws one.`);
    },
    clear: () => (editor.tool.name === 'boxes' ? editor.mayEdit() && editor.tool.remove() : polygon().points.length > 0 ? polygon().drop() : clear()),
    finish: () => editor.tool.finish?.(),
    cancel: () => { if (!editor.dropStroke()) editor.tool.back?.(); },
    contour: () => look((s) => { s.contour = !s.contour; }),
    sideBySide: async () => { await editor.compare.toggle(); editor.frame.refresh(); },
    lessOverlay: () => look((s) => { s.opacity = Math.max(0, s.opacity - 0.1); }),
    moreOverlay: () => look((s) => { s.opacity = Math.min(1, s.opacity + 0.1); }),
    hideOverlay: () => look((s) => { s.hidden = !s.hidden; }),
    setLight: (light) => look((s) => Object.assign(s, light)),
    ground: () => { const of = editor.tool.turned ?? 'ground'; settings[of] = !settings[of]; editor.frame.refresh(); },
    setOpacity: (v) => look((s) => { s.opacity = v; }),
    zoomIn: () => view.zoom(1.4),
    zoomOut: () => view.zoom(1 / 1.4),
    fit: () => view.fit(),
    panLeft: () => view.pan(step(), 0),
    panRight: () => view.pan(-step(), 0),
    panUp: () => view.pan(0, step()),
    panDown: () => view.pan(0, -step()),
    help: () => showHelp('editor'),
  };
  for (const name of Object.keys(titles)) out[name] = () => editor.setTool(name);
  out.take = () => editor.setTool(editor.tool.name === 'take' ? editor.before : 'take');
  const ending = (f) => (e) => { editor.endStroke(); return f(e); }; // a key may come while the mouse is down
  return Object.fromEntries(Object.entries(out).map(([name, f]) => [name, name === 'cancel' ? f : ending(f)]));
}
