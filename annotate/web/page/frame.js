// The editor's surroundings: the bar above, the tools at the left, the panel at the right.
import { el, icon } from './dom.js';
import { session } from './api.js';
import { keyFor } from './keys.js';
import { actions } from './actions.js';
import { titles } from './tools/index.js';
import { panel } from './panel.js';
import { live } from './live.js';

const cap = (key) => (key ? ` (${key})` : '');

export function frame(editor) {
  const act = actions(editor);
  const d = editor.detail;
  const button = (action, label, glyph) => el('button', { type: 'button', class: 'icon', title: label + cap(keyFor('editor', action)), 'aria-label': label,
    dataset: { action }, on: { click: (e) => { e.currentTarget.blur(); act[action](); } } }, icon(glyph ?? action));

  const status = el('span', { class: 'status', role: 'status' });
  const state = el('span', { class: 'state' });
  const author = el('span', { class: 'muted author' });
  const zoom = el('button', { type: 'button', class: 'quiet', title: 'Fit to the window' + cap(keyFor('editor', 'fit')), on: { click: () => act.fit() } });
  const accept = el('button', { type: 'button', class: 'primary', dataset: { action: 'accept' }, title: keyFor('editor', 'accept'), on: { click: () => act.accept() } });
  const reject = el('button', { type: 'button', class: 'danger', dataset: { action: 'reject' }, text: 'Reject', title: keyFor('editor', 'reject'), on: { click: () => act.reject() } });
  const reopen = el('button', { type: 'button', dataset: { action: 'reopen' }, title: keyFor('editor', 'reopen'), on: { click: () => act.reopen() } });
  const aside = el('button', { type: 'button', dataset: { action: 'setAside' }, text: 'Set aside', title: keyFor('editor', 'setAside'), on: { click: () => act.setAside() } });
  const undo = button('undo', 'Undo'), redo = button('redo', 'Redo');
  const top = el('header', { class: 'top' },
    button('queue', session.readOnly ? 'All pictures' : 'Queue', 'grid'), button('previous', 'Previous'), button('next', 'Next'),
    el('h1', { class: 'id', text: d.id }),
    el('span', { class: 'tag', text: d.split }), el('span', { class: 'tag', text: d.tier }), d.blind ? el('span', { class: 'tag blind-tag', text: 'blind' }) : null,
    session.readOnly ? null : [state, author],
    el('span', { class: 'gap' }), status, session.readOnly ? null : [undo, redo], zoom, button('help', 'Keys'),
    session.readOnly ? null : [reopen, aside, reject, accept, el('span', { class: 'person', text: session.person.name, title: session.person.role })]);

  const tools = new Map(Object.entries(titles).map(([name, title]) => [name, button(name, title)]));
  const left = el('nav', { class: 'tools', 'aria-label': 'Tools' }, [...tools.values()]);
  const side = panel(editor, act);
  const notice = el('div', { class: 'bar quiet', role: 'status', hidden: true });
  const bars = el('div', { class: 'bars' }, notice);
  const waiting = el('div', { class: 'waiting', text: 'cutting', hidden: true });
  editor.compare.pane.root.hidden = true;
  editor.pane.ui.setAttribute('aria-label', `picture ${d.id} and its mask`);
  editor.compare.pane.ui.setAttribute('aria-label', `picture ${d.id} and another mask`);
  const root = el('div', { class: session.readOnly ? 'editor viewing' : 'editor' }, top, session.readOnly ? null : left,
    el('section', { class: 'stage' }, bars, el('div', { class: 'panes' }, editor.pane.root, editor.compare.pane.root), waiting), side.root);

  editor.view.onChange(() => { zoom.textContent = `${Math.round((100 * editor.view.scale) / (devicePixelRatio || 1))} %`; });

  const refresh = () => {
    const { line, moves, readOnly } = editor.detail;
    const me = session.person.name;
    state.textContent = line.state;
    author.textContent = line.author && line.author !== me ? `of ${line.author}` : '';
    state.dataset.state = line.state;
    accept.textContent = editor.goal() === 'accepted' ? 'Accept' : 'Submit';
    accept.disabled = !editor.mayReach();
    reject.hidden = !moves.includes('rejected');
    aside.hidden = !moves.includes('set aside');
    reopen.hidden = !moves.includes('edited');
    reopen.textContent = { accepted: 'Reopen', 'set aside': 'Take up', submitted: line.author === me ? 'Withdraw' : 'Correct' }[line.state] ?? 'Take over';
    notice.textContent = session.readOnly ? '' : line.state === 'submitted' && editor.isMine() ? 'Your own work: another reviewer accepts it. Withdraw it to draw on it.' : readOnly ? `Read-only: ${readOnly}.` : '';
    const other = live.open[editor.key];
    if (other && !session.readOnly) notice.textContent = `${other} has this picture open, too. ${notice.textContent}`;
    notice.hidden = notice.textContent === '';
    const steps = editor.tool?.name === 'boxes' ? editor.tool : editor.mask;
    waiting.hidden = editor.waiting === 0;
    undo.disabled = steps.done.length === 0 && editor.waiting === 0 && !(editor.tool?.name === 'polygon' && editor.tool.points.length > 0);
    redo.disabled = steps.undone.length === 0;
    for (const [name, b] of tools) b.setAttribute('aria-pressed', String(editor.tool?.name === name));
    editor.pane.ui.classList.toggle('crosshair', editor.tool?.name !== 'move');
    side.refresh();
  };
  return {
    root, bars, refresh,
    status(text, kind) { status.textContent = text; status.dataset.kind = kind; },
  };
}
