// The keyboard: which action a key press means, by the map that the server sent.
import { el } from './dom.js';
import { ask } from './dialog.js';
import { session } from './api.js';

// nameOf writes a key press as the map does: Ctrl+Enter, Shift+Z, [.
export function nameOf(e) {
  let key = e.key === ' ' ? 'Space' : e.key;
  let name = '';
  if (e.ctrlKey || e.metaKey) name += 'Ctrl+';
  if (e.altKey) name += 'Alt+';
  if (e.shiftKey && (key.length > 1 || key.toLowerCase() !== key.toUpperCase())) {
    name += 'Shift+';
    if (key.length === 1) key = key.toUpperCase();
  } else if (key.length === 1 && key.toLowerCase() !== key.toUpperCase()) {
    key = key.toLowerCase(); // caps lock is no shift
  }
  return name + key;
}

// Letters, digits and signs alone may be turned off: speech input types them by chance. Each person's choice stays in the browser.
const lettersKey = () => `hdseg-letters ${session.person?.name ?? ''}`;
const letters = () => localStorage.getItem(lettersKey()) !== 'off';

// bind calls actions[name] for the keys of a scope until the returned function is called. Fields for text keep their keys.
export function bind(scope, actions) {
  const byKey = new Map();
  for (const [action, keys] of Object.entries(session.keys[scope] ?? {})) {
    for (const k of keys ?? []) byKey.set(k, action);
  }
  const listen = (e) => {
    if (e.isComposing || document.querySelector('dialog[open]')) return;
    const t = e.target;
    if (t instanceof HTMLTextAreaElement || (t instanceof HTMLInputElement && t.type !== 'range' && t.type !== 'checkbox')) return;
    const name = nameOf(e), action = byKey.get(name);
    if (!action || !actions[action] || (/^(Shift\+)?.$/.test(name) && !letters())) return;
    e.preventDefault();
    actions[action](e);
  };
  document.addEventListener('keydown', listen);
  return () => document.removeEventListener('keydown', listen);
}

// keyFor returns the first key of an action, for labels; '' if it has none.
export const keyFor = (scope, action) => session.keys[scope]?.[action]?.[0] ?? '';

// What the actions are called in the list, in groups. An action that is named nowhere here is a fault that a test finds.
export const groups = {
  queue: [['Queue', { next: 'next picture, or the row below', previous: 'previous picture, or the row above', open: 'open it', search: 'find an id', help: 'this list' }]],
  editor: [
    ['Work', { next: 'next picture', previous: 'previous picture', queue: 'back to the queue', save: 'save now', accept: 'submit; reviewers: accept', reject: 'reject with a reason',
      setAside: 'set aside with a reason', reopen: 'withdraw, correct, reopen, take over or take up', undo: 'undo', redo: 'redo', help: 'this list' }],
    ['Tools', { superpixel: 'superpixels', brush: 'brush', eraser: 'eraser', polygon: 'polygon', box: 'cut by box or click', cutBoxes: 'cut from the boxes of the picture', scribbleFigure: 'scribble figure', scribbleGround: 'scribble ground',
      boxes: 'draw and correct boxes', void: 'void brush', take: 'difference to another mask', model: 'difference to the mask of the model', comment: 'pin a remark', move: 'move the picture', ground: 'paint ground, or figure again; cut by box or click: add, or anew', smaller: 'smaller brush, finer cells', larger: 'larger brush, coarser cells',
      finish: 'fill the polygon', cancel: 'take the stroke, or the last vertex, back' }],
    ['Whole mask', { fill: 'fill holes', largest: 'keep the largest part', invert: 'invert', voidBand: 'void band along the border', clear: 'clear; with boxes: take the last one away' }],
    ['View', { contour: 'contour only', sideBySide: 'side by side', hideOverlay: 'hide the mask', lessOverlay: 'fainter mask', moreOverlay: 'stronger mask', zoomIn: 'zoom in', zoomOut: 'zoom out',
      fit: 'fit to the window', panLeft: 'to the left', panRight: 'to the right', panUp: 'up', panDown: 'down' }],
  ],
};

const signs = { ArrowLeft: '←', ArrowRight: '→', ArrowUp: '↑', ArrowDown: '↓' };
const written = (key) => key.replace(/Arrow\w+/, (k) => signs[k]);

// showHelp lists the keys of a scope.
export function showHelp(scope) {
  const keys = session.keys[scope] ?? {};
  const named = ([action, _]) => !session.readOnly || keys[action]; // a page that is only looked at has fewer
  const titled = (text) => (session.readOnly ? text.replace('the queue', 'all pictures').replace('Queue', 'Pictures').replace('Work', 'Pictures') : text); // nothing waits there
  const rows = groups[scope].filter(([, labels]) => Object.entries(labels).some(named)).flatMap(([title, labels]) => [el('h3', { text: titled(title) }), ...Object.entries(labels).filter(named).map(([action, label]) => el('div', { class: 'key-row' },
    el('span', { text: titled(label) }), el('span', {}, (keys[action] ?? []).map((k) => el('kbd', { text: written(k) })))))]);
  const hints = scope === 'editor' ? el('p', { class: 'muted', text: 'The wheel or two fingers zoom; the middle button, two fingers, or Space and the mouse move the picture.' + (session.readOnly ? '' : ' Shift, the right button or the other end of a pen paint ground; with cuts by box or click they add.') }) : null;
  const rules = session.readOnly ? null : el('p', { class: 'muted', text: session.selfReview ? 'Reviewers may accept what they drew themselves here.'
    : 'Reviewers do not accept what they drew themselves: another reviewer does. What they correct in submitted work is part of its review.' });
  const single = el('label', { class: 'row' }, el('input', { type: 'checkbox', checked: letters(), on: { change: (e) => localStorage.setItem(lettersKey(), e.target.checked ? 'on' : 'off') } }), 'Keys of one character work (off: only keys with Ctrl, Enter, arrows and the like)');
  return ask('Keys', el('div', {}, el('div', { class: 'keys', tabindex: '0', role: 'group', 'aria-label': 'Keys' }, rows), hints, rules, single), [{ value: true, label: 'Close', primary: true }]);
}
