// Pointers on a pane: mouse, pen and touch become calls of the tool, moves and zooms. Two fingers always move and zoom; once a
// pen was seen, one finger only moves, so that a resting hand paints nothing.

const RIGHT = 2, ERASER = 32; // in buttons: the right or barrel button, and the other end of a pen

export function attach(editor, pane) {
  const { view } = pane, target = pane.ui;
  const touches = new Map();
  let mode = '', last = null, pen = false, space = false;

  const local = (e) => {
    const r = target.getBoundingClientRect(), f = target.width / r.width;
    return { sx: (e.clientX - r.left) * f, sy: (e.clientY - r.top) * f };
  };
  const point = (e) => {
    const { sx, sy } = local(e), held = e.shiftKey || (e.buttons & (RIGHT | ERASER)) !== 0;
    return { x: view.toX(sx), y: view.toY(sy), shift: held !== (editor.settings[editor.tool.turned] ?? false) };
  };
  const pinch = () => {
    const [a, b] = [...touches.values()];
    return { x: (a.sx + b.sx) / 2, y: (a.sy + b.sy) / 2, d: Math.hypot(a.sx - b.sx, a.sy - b.sy) };
  };

  const down = (e) => {
    if (e.pointerType === 'pen') pen = true;
    target.setPointerCapture(e.pointerId);
    if (e.pointerType === 'touch') {
      touches.set(e.pointerId, local(e));
      if (touches.size === 2) {
        if (mode === 'tool') editor.tool.cancel();
        mode = 'pinch';
        last = pinch();
        return;
      }
      if (touches.size > 2) return;
    }
    const draws = editor.tool.name === 'comment' || editor.mayEdit();
    if (e.button === 1 || space || editor.tool.pans || (pen && e.pointerType === 'touch') || pane !== editor.pane || !draws) {
      mode = 'pan';
      last = local(e);
    } else {
      mode = 'tool';
      editor.endStroke = end;
      editor.dropStroke = drop;
      editor.effort.click(editor.tool.name);
      editor.tool.down(last = point(e));
      mark(e);
    }
    pane.schedule();
  };

  // mark notes when the input came that the next frame shows.
  const mark = (e) => { pane.input ??= e.timeStamp; pane.schedule(); };

  const move = (e) => {
    const here = local(e);
    if (touches.has(e.pointerId)) touches.set(e.pointerId, here);
    if (mode === 'pinch' && touches.size >= 2) {
      const now = pinch();
      view.pan(now.x - last.x, now.y - last.y);
      if (last.d > 0 && now.d > 0) view.zoomAt(now.x, now.y, now.d / last.d);
      last = now;
    } else if (mode === 'pan') {
      view.pan(here.sx - last.sx, here.sy - last.sy);
      last = here;
    } else if (mode === 'tool') {
      const steps = e.getCoalescedEvents?.() ?? [];
      for (const s of steps.length > 0 ? steps : [e]) editor.tool.move(last = point(s));
      mark(e);
    } else {
      editor.tool.hover?.(point(e));
    }
    editor.pointer = e.pointerType === 'touch' && mode !== 'tool' ? null : point(e);
    pane.schedule();
  };

  // end finishes the stroke under way before something else happens; a tool whose clicks mean something takes it back.
  const end = () => {
    if (mode !== 'tool') return;
    mode = '';
    if (editor.tool.clicks) editor.tool.cancel();
    else editor.tool.up(last);
  };

  // drop takes the stroke under way back.
  const drop = () => {
    if (mode !== 'tool') return false;
    mode = '';
    editor.tool.cancel();
    pane.schedule();
    return true;
  };

  const up = (e) => {
    touches.delete(e.pointerId);
    if (mode === 'tool') {
      editor.tool.up(point(e));
      mark(e);
      if (e.pointerType === 'touch') editor.tool.hover?.({ x: -1, y: -1 }); // no finger hovers
    }
    if (mode !== 'pinch' || touches.size === 0) mode = '';
    pane.schedule();
  };

  const lost = (e) => {
    touches.delete(e.pointerId);
    if (mode === 'tool') editor.tool.cancel();
    mode = '';
  };

  const wheel = (e) => {
    e.preventDefault();
    const { sx, sy } = local(e), step = e.deltaMode === 1 ? e.deltaY * 30 : e.deltaY;
    view.zoomAt(sx, sy, Math.exp(-Math.max(-300, Math.min(300, step)) * 0.0016));
  };

  const keyed = (e) => {
    if (e.code !== 'Space' || e.target instanceof HTMLTextAreaElement || e.target instanceof HTMLButtonElement) return;
    space = e.type === 'keydown';
    target.classList.toggle('grab', space);
    if (space) e.preventDefault();
  };

  target.addEventListener('pointerdown', down);
  target.addEventListener('pointermove', move);
  target.addEventListener('pointerup', up);
  target.addEventListener('pointercancel', lost);
  target.addEventListener('pointerleave', () => { editor.pointer = null; pane.schedule(); });
  target.addEventListener('wheel', wheel, { passive: false });
  target.addEventListener('contextmenu', (e) => e.preventDefault());
  document.addEventListener('keydown', keyed);
  document.addEventListener('keyup', keyed);
  return () => {
    document.removeEventListener('keydown', keyed);
    document.removeEventListener('keyup', keyed);
  };
}
