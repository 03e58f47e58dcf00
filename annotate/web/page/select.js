// Selecting: reviewers give several pictures to a person, and accept several that they have seen.
import { post, session } from './api.js';
import { el } from './dom.js';
import { ask, note } from './dialog.js';

// selection is what is selected in the queue, by key; on while clicks select.
export const selection = { on: false, keys: new Set() };

// selectBar makes the row of buttons, root, and the one that shows it, toggle. shown() are the entries of the queue as it is filtered; painted is called when the selection
// changed, and done when pictures did.
export function selectBar(shown, painted, done) {
  const button = (action, text, f) => el('button', { type: 'button', dataset: { action }, text, on: { click: f } });
  const count = el('span', { class: 'muted' });
  const person = el('select', { 'aria-label': 'person' }, session.people.map((p) => el('option', { value: p.name, text: p.name })));
  const select = (test) => { selection.keys = new Set(shown().filter(test).map((e) => e.key)); refresh(); };
  const keys = () => {
    const out = shown().filter((e) => selection.keys.has(e.key)).map((e) => e.key);
    if (out.length === 0) note('Select pictures first.');
    return out;
  };
  const act = async (f) => {
    const chosen = keys();
    if (chosen.length === 0) return;
    try {
      await f(chosen);
      selection.keys.clear();
    } catch (e) {
      note(e.message, 'fault');
    }
    await done();
    refresh();
  };
  const assign = (to) => act(async (chosen) => {
    await post('/api/assign', { keys: chosen, to });
    note(to ? `${pictures(chosen.length)} for ${to}.` : `${pictures(chosen.length)} taken back.`, 'ok');
  });
  const accept = () => act(async (chosen) => {
    const { accepted, refused } = await post('/api/accept', { keys: chosen });
    note(`Accepted ${accepted}.`, 'ok');
    if (refused?.length > 0) {
      await ask('Not accepted', el('ul', { class: 'refused', tabindex: '0' }, refused.map((r) => el('li', { text: `${r.id}: ${r.why}` }))), [{ value: true, label: 'Close', primary: true }]);
    }
  });
  const root = el('div', { class: 'filters selected' }, count, button('selectAll', 'All shown', () => select(() => true)), button('selectSeen', 'All seen', () => select((e) => e.seen && e.state !== 'accepted')),
    button('acceptSeen', 'Accept', accept), person, button('assign', 'Assign', () => assign(person.value)), button('takeBack', 'Take back', () => assign('')));
  const toggle = button('select', 'Select', () => { selection.on = !selection.on; selection.keys.clear(); refresh(); });

  function show() {
    root.hidden = !selection.on;
    toggle.setAttribute('aria-pressed', String(selection.on));
    count.textContent = `${selection.keys.size} selected`;
  }
  function refresh() {
    show();
    painted();
  }
  show();
  return { root, toggle, refresh };
}

const pictures = (n) => `${n} picture${n === 1 ? '' : 's'}`;

// pick selects a card's picture, or no more.
export function pick(key) {
  if (!selection.keys.delete(key)) selection.keys.add(key);
}
