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
    const action = byKey.get(nameOf(e));
    if (!action || !actions[action]) return;
    e.preventDefault();
    actions[action](e);
  };
  document.addEventListener('keydown', listen);
  return () => document.removeEventListener('keydown', listen);
}

// keyFor returns the first key of an action, for labels; '' if it has none.
export const keyFor = (scope, action) => session.keys[scope]?.[action]?.[0] ?? '';

const words = (action) => action.replace(/([A-Z])/g, ' $1').toLowerCase();

// showHelp lists the keys of a scope.
export function showHelp(scope) {
  const rows = Object.entries(session.keys[scope] ?? {}).map(([action, keys]) => el('div', { class: 'key-row' },
    el('span', { text: words(action) }), el('span', {}, (keys ?? []).map((k) => el('kbd', { text: k })))));
  const hints = scope === 'editor' ? el('p', { class: 'muted', text: 'Wheel or pinch zooms. Middle button, two fingers or Space and drag move. Shift while painting superpixels paints ground.' }) : null;
  const rules = el('p', { class: 'muted', text: session.selfReview ? 'Reviewers may accept what they drew themselves here.'
    : 'Reviewers do not accept what they drew themselves: another reviewer does. What they correct in submitted work is part of its review.' });
  return ask('Keys', el('div', {}, el('div', { class: 'keys' }, rows), hints, rules), [{ value: true, label: 'Close', primary: true }]);
}
