// Modal questions. Each function resolves when the person has answered; Escape and closeDialogs answer null.
import { el } from './dom.js';

// ask shows a title, content and one button per choice, { value, label, primary, danger }, and resolves to a value.
export function ask(title, content, choices) {
  return new Promise((resolve) => {
    const d = el('dialog', { class: 'dialog' });
    const close = (v) => { resolve(v); d.close(); d.remove(); };
    d.addEventListener('cancel', (e) => { e.preventDefault(); close(null); }); // close comes later: keys in between would be lost
    d.addEventListener('close', () => close(null)); // closeDialogs, and where the browser skips cancel
    d.addEventListener('keydown', (e) => e.stopPropagation());
    d.append(
      el('h2', { text: title }),
      el('div', { class: 'dialog-body' }, content),
      el('div', { class: 'dialog-choices' }, choices.map((c) => el('button', {
        type: 'button', class: c.primary ? 'primary' : c.danger ? 'danger' : '', text: c.label, dataset: { choice: String(c.value) },
        on: { click: () => close(c.value) },
      }))),
    );
    document.body.append(d);
    d.showModal();
    const first = d.querySelector('textarea, input:not([type=checkbox])') ?? d.querySelector('button.primary');
    first?.focus();
  });
}

// closeDialogs closes the questions that the page asks about what it does not show any more.
export function closeDialogs() {
  for (const d of document.querySelectorAll('dialog:not(.relogin)')) /** @type {HTMLDialogElement} */ (d).close();
}

// askText asks for words; suggestions are offered as buttons that fill the field. Ctrl+Enter confirms.
export async function askText(title, label, confirm, suggestions = []) {
  const area = el('textarea', { rows: '3', maxlength: '2000', 'aria-label': label, placeholder: label });
  const fill = (s) => { area.value = s; area.focus(); };
  area.addEventListener('keydown', (e) => {
    if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) area.closest('dialog').querySelector('button.primary').click();
  });
  const body = el('div', {}, el('div', { class: 'chips' }, suggestions.map((s) => el('button', { type: 'button', class: 'chip', text: s, on: { click: () => fill(s) } }))), area);
  for (;;) {
    const yes = await ask(title, body, [{ value: false, label: 'Cancel' }, { value: true, label: confirm, primary: true }]);
    if (!yes) return null;
    if (area.value.trim() !== '') return area.value.trim();
  }
}

// note shows a short message at the bottom for a moment, the newest at the top, and returns it. One that
// is shown already starts anew.
export function note(text, kind = '') {
  const all = document.querySelector('.notes') ?? el('div', { class: 'notes', role: 'status' });
  document.body.append(all);
  [...all.children].find((n) => n.textContent === text)?.remove();
  const n = el('div', { class: `note ${kind}`, text });
  all.prepend(n);
  setTimeout(() => n.remove(), 4000 + 40 * text.length);
  return n;
}
