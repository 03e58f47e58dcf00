// The queue: what there is to do, filtered, with thumbnails. Only the rows on the screen exist, so that thousands scroll.
import { get, item, session } from './api.js';
import { el, icon, debounce } from './dom.js';
import { bind, showHelp } from './keys.js';
import { live } from './live.js';
import { showAgreement } from './agreement.js';
import { pick, selection, selectBar } from './select.js';
import { clearFilters, filtered, filters, orders, query } from './filters.js';

const CARD = 224, GAP = 12, ROW = 232, states = ['proposed', 'edited', 'submitted', 'rejected', 'accepted', 'set aside'];

// memory outlives the view: scroll position, selection and the order that next and previous follow.
export const memory = { entries: [], shown: [], top: 0, key: '' };

export async function loadQueue() {
  memory.entries = await get('/api/queue');
  filter();
}

// take puts what others changed into the queue; its order stays, so that nothing moves under a hand.
export function take(entries) {
  for (const e of entries) {
    const i = memory.entries.findIndex((old) => old.key === e.key);
    if (i >= 0) memory.entries[i] = e;
    const j = memory.shown.findIndex((old) => old.key === e.key);
    if (j >= 0) memory.shown[j] = e;
  }
}

function filter() { memory.shown = filtered(memory.entries); }

// neighbor returns the key of the item so many places after one in the queue, '' at its ends.
export function neighbor(key, by) {
  const i = memory.shown.findIndex((e) => e.key === key);
  return memory.shown[i + by]?.key ?? '';
}

// deal returns the key of the picture that comes after one: the next one to do that was assigned to the person, else the next one
// to do that is nobody's, else any; '' at the end. None that somebody has open is dealt, and none that is another's to draw, unless
// the queue shows that person's alone.
export function deal(key) {
  if (!session.person) return ''; // until a session that ended was renewed
  const { name: me, role } = session.person, at = memory.shown.findIndex((e) => e.key === key), after = memory.shown.slice(at + 1);
  const drawn = (e) => !['proposed', 'edited', 'rejected'].includes(e.state);
  const toDo = (e) => e.state === 'proposed' || (!drawn(e) && e.author === me) || (role === 'reviewer' && e.state === 'submitted' && e.author !== me);
  const theirs = (e) => !['', me, filters.assignee].includes(e.assignee) && !(role === 'reviewer' && drawn(e));
  const free = (e) => e.key !== key && !live.open[e.key] && !theirs(e);
  const own = [...after, ...memory.shown.slice(0, at + 1)].find((e) => e.assignee === me && free(e) && toDo(e));
  return (own ?? after.find((e) => free(e) && toDo(e)) ?? after.find(free))?.key ?? '';
}

// openQueue shows the queue as it was loaded.
export function openQueue(root, nav) {
  const view = el('div', { class: 'queue' });
  const grid = el('div', { class: 'grid-body' });
  const showAll = el('button', { type: 'button', text: 'Show all', on: { click: () => { clearFilters(); nav.queue(); } } });
  const empty = el('div', { class: 'empty', hidden: true }, memory.entries.length === 0 ? el('p', { text: 'There is no picture here for you: others draw them blind, or the data set is empty.' })
    : [el('p', { text: 'No picture matches these filters.' }), showAll]);
  const scroller = el('div', { class: 'scroller', tabindex: '-1' }, empty, grid);
  const count = el('span', { class: 'muted' });
  const said = el('span', { class: 'muted order', text: order() });
  const cards = new Map();
  let columns = 1, width = CARD;

  const select = (field, all, values) => el('select', { 'aria-label': field, dataset: { filter: field }, on: { change: (e) => { filters[field] = e.target.value; e.target.blur(); refilter(); } } },
    el('option', { value: '', text: all }), values.map((v) => el('option', { value: v, text: v === '-' ? "nobody's" : v, selected: filters[field] === v })));
  const distinct = (field) => [...new Set(memory.entries.map((e) => e[field]).filter((v) => v))].sort();
  const search = el('input', { type: 'search', placeholder: 'Find an id', 'aria-label': 'Find an id', value: filters.text, on: { input: debounce(() => { filters.text = search.value; refilter(); }, () => 120) } });
  const toggle = (field, text) => el('button', { type: 'button', text, 'aria-pressed': String(filters[field]), on: { click: (e) => { filters[field] = !filters[field]; e.target.setAttribute('aria-pressed', String(filters[field])); refilter(); } } });
  const mine = toggle('mine', 'Mine'), remarks = toggle('remarks', 'With remarks');
  // range is two fields for the least and the most of a number from 0 to 1.
  const range = (field, label) => el('span', { class: 'range' }, label, ['least', 'most'].map((end, i) => el('input', { type: 'number', min: 0, max: 1, step: 0.05,
    'aria-label': `${end} ${label}`, dataset: { filter: `${field}-${end}` }, value: filters[field][i], on: { input: (e) => {
      filters[field] = filters[field].with(i, e.target.value === '' ? i : Number(e.target.value));
      refilter();
    } } })));
  const choices = memory.entries.some((e) => e.ready) ? [...states, 'adjudicate'] : states;
  const chosen = [session.readOnly ? null : select('state', 'Every state', choices), select('tier', 'Every tier', distinct('tier')), select('split', 'Every split', distinct('split'))];
  if (distinct('author').length > 0) chosen.push(select('author', 'Every author', distinct('author')));
  if (distinct('assignee').length > 0) chosen.push(select('assignee', "Everybody's", [...distinct('assignee'), '-']));
  if (distinct('synset').length > 1) chosen.push(select('synset', 'Every synset', distinct('synset')));
  if (memory.entries.some((e) => e.quality > 0)) chosen.push(range('quality', 'predicted IoU'));
  if (memory.entries.some((e) => e.iou !== undefined)) chosen.push(range('iou', 'IoU of the model'));

  const sorts = Object.keys(orders).filter((s) => s !== 'model disagrees' || memory.entries.some((e) => e.differs !== undefined) || filters.sort === s);
  const bar = session.person.role === 'reviewer' && !session.readOnly ? selectBar(() => memory.shown, () => paint(), async () => { await loadQueue(); layout(); }) : null;
  const agreeing = session.person.role === 'reviewer' && memory.entries.some((e) => e.blind);
  view.append(
    el('header', { class: 'top' }, el('h1', { class: 'id', text: session.dataset }), el('span', { class: 'muted', text: session.class }), session.readOnly ? null : progress(),
      el('span', { class: 'gap' }), agreeing ? el('button', { type: 'button', dataset: { action: 'agreement' }, text: 'Agreement', on: { click: () => showAgreement(nav) } }) : null,
      el('button', { type: 'button', class: 'icon', title: 'Keys', 'aria-label': 'Keys', on: { click: () => showHelp('queue') } }, icon('help')),
      session.readOnly ? null : [el('span', { class: 'person', text: session.person.name, title: session.person.role }),
        el('button', { type: 'button', class: 'quiet', text: 'Log out', on: { click: nav.logout } })]),
    el('div', { class: 'filters' }, chosen, session.readOnly ? null : [mine, remarks], bar?.toggle, search, select('sort', 'Order: most needed', sorts), count, said), ...(bar ? [bar.root] : []), scroller);
  root.replaceChildren(view);

  function refilter() {
    history.replaceState(null, '', `#${query()}`);
    filter();
    said.textContent = order();
    cards.forEach((c) => c.remove());
    cards.clear();
    scroller.scrollTop = 0;
    layout();
  }

  function layout() {
    columns = Math.max(1, Math.floor((scroller.clientWidth - GAP) / (CARD + GAP)));
    width = Math.floor((scroller.clientWidth - GAP) / columns) - GAP; // the cards fill the row
    grid.style.height = `${Math.ceil(memory.shown.length / columns) * ROW + 12}px`;
    empty.hidden = memory.shown.length > 0;
    count.textContent = `${memory.shown.length} of ${memory.entries.length}`;
    cards.forEach((c) => c.remove());
    cards.clear();
    paint();
  }

  // paint makes the cards of the visible rows and removes the others.
  function paint() {
    memory.top = scroller.scrollTop;
    const from = Math.max(0, (Math.floor(scroller.scrollTop / ROW) - 1) * columns);
    const to = Math.min(memory.shown.length, (Math.ceil((scroller.scrollTop + scroller.clientHeight) / ROW) + 1) * columns);
    for (const [i, c] of cards) if (i < from || i >= to) { c.remove(); cards.delete(i); }
    for (let i = from; i < to; i++) {
      if (!cards.has(i)) {
        const { key } = memory.shown[i];
        const c = card(memory.shown[i], () => { if (selection.on) { pick(key); bar.refresh(); } else nav.edit(key); });
        c.style.width = `${width}px`;
        c.style.transform = `translate(${GAP + (i % columns) * (width + GAP)}px, ${12 + Math.floor(i / columns) * ROW}px)`;
        cards.set(i, c);
        grid.append(c);
      }
      if (selection.on) cards.get(i).setAttribute('aria-pressed', String(selection.keys.has(memory.shown[i].key)));
      else cards.get(i).removeAttribute('aria-pressed');
      cards.get(i).setAttribute('aria-current', String(memory.shown[i].key === memory.key));
    }
    rove();
  }

  // rove lets Tab reach one card, the current one or the first on the screen; the keys of the queue go on from it.
  function rove() {
    const at = [...cards.values()].find((c) => c.dataset.key === memory.key) ?? cards.get(Math.min(...cards.keys()));
    for (const c of cards.values()) c.tabIndex = c === at ? 0 : -1;
    return at;
  }

  function move(by) {
    const i = memory.shown.findIndex((e) => e.key === memory.key);
    const j = Math.min(Math.max(i + by, 0), memory.shown.length - 1);
    if (j < 0) return;
    memory.key = memory.shown[j].key;
    const y = Math.floor(j / columns) * ROW;
    if (y < scroller.scrollTop) scroller.scrollTop = y;
    if (y + ROW > scroller.scrollTop + scroller.clientHeight) scroller.scrollTop = y + ROW - scroller.clientHeight + 12;
    const focused = grid.contains(document.activeElement);
    paint();
    if (focused) rove()?.focus({ preventScroll: true });
  }

  let due = 0;
  scroller.addEventListener('scroll', () => { due ||= requestAnimationFrame(() => { due = 0; paint(); }); }, { passive: true });
  const observer = new ResizeObserver(layout);
  observer.observe(scroller);
  layout();
  scroller.scrollTop = memory.top;
  const unbind = bind('queue', {
    next: (e) => move(e.key === 'ArrowDown' ? columns : 1),
    previous: (e) => move(e.key === 'ArrowUp' ? -columns : -1),
    open: () => {
      if (memory.shown.some((e) => e.key === memory.key)) nav.edit(memory.key);
      else if (deal('')) nav.next(); // which another who starts now does not get
      else if (memory.shown.length > 0) nav.edit(memory.shown[0].key);
    },
    search: () => search.focus(),
    help: () => showHelp('queue'),
  });
  search.addEventListener('keydown', (e) => { if (e.key === 'Escape' || e.key === 'Enter') search.blur(); });
  return { close() { unbind(); observer.disconnect(); }, changed() { cards.forEach((c) => c.remove()); cards.clear(); paint(); said.textContent = order(); if (live.learned && !sorts.includes('model disagrees')) nav.queue(); } };
}

// order says in which order the pictures come, and whose mask a small picture has.
function order() {
  const rest = 'doubtful masks, then the lowest predicted IoU first';
  return memory.entries.some((e) => e.iou !== undefined) ? `In color: on test pictures the model's mask, elsewhere the data set's. The model's lowest IoU first, then ${rest}.` : filters.sort === '' ? `Order: ${rest}. ${learned()}` : learned();
}

// learned says what the model that learns knows.
function learned() {
  const { accepted, set } = live.learned ?? {};
  if (!live.learned) return '';
  return accepted + set === 0 ? 'The model learns from the first accepted mask on.' : `The model learned from ${accepted} accepted mask${accepted === 1 ? '' : 's'}${set > 0 ? ` and ${set} of the data set` : ''}.`;
}

// progress shows how far the campaign is.
function progress() {
  const n = Object.fromEntries(states.map((s) => [s, memory.entries.filter((e) => e.state === s).length]));
  const total = memory.entries.length || 1;
  const bar = el('span', { class: 'progress', title: states.map((s) => `${n[s]} ${s}`).join(', ') });
  for (const s of [...states].reverse()) {
    const part = el('span', { dataset: { state: s } });
    part.style.width = `${(100 * n[s]) / total}%`;
    bar.append(part);
  }
  return el('span', { class: 'progress-box' }, bar, el('span', { class: 'muted', text: `${n.accepted} accepted, ${n.submitted} to review, ${n.proposed + n.edited + n.rejected} to draw${n['set aside'] > 0 ? `, ${n['set aside']} set aside` : ''}` }));
}

// blindness says how far a blind image is: a reviewer has nothing to do before both have submitted.
function blindness(e) {
  if (!e.blind) return '';
  if (session.person.role !== 'reviewer' || e.head > 0) return 'blind';
  return e.ready ? 'blind: to choose' : 'blind: being drawn';
}

function card(e, open) {
  const unreadable = () => image.replaceWith(el('span', { class: 'unreadable', text: 'The picture cannot be shown' }));
  const image = el('img', { alt: '', on: { error: unreadable }, loading: 'lazy', decoding: 'async', src: `${item(e.key, 'thumb')}?v=${e.image}-${(e.shown || 'none').slice(0, 16)}` });
  return el('button', { type: 'button', class: 'card', dataset: { key: e.key }, on: { click: open, focus: () => { memory.key = e.key; } } },
    el('span', { class: 'picture' }, image),
    el('span', { class: 'card-line' }, el('span', { class: 'card-id', text: e.id }), session.readOnly ? null : el('span', { class: 'state', dataset: { state: e.state }, text: e.state })),
    el('span', { class: 'card-line muted' }, el('span', { text: `${e.split} · ${e.tier}${e.assignee ? ` · for ${e.assignee}` : ''}${e.seen ? ' · seen' : ''}` }),
      el('span', { class: live.open[e.key] ? 'taken' : '', text: live.open[e.key] ? `${live.open[e.key]} has it open` : e.iou !== undefined ? `model's IoU ${e.iou.toFixed(2)}` : e.comments > 0 ? `${e.comments} remark${e.comments > 1 ? 's' : ''}` : e.state === 'set aside' ? e.reason : blindness(e) || (filters.sort === 'model disagrees' && e.differs !== undefined ? `model disagrees ${e.differs.toFixed(2)}` : '') || e.doubt || (e.quality > 0 ? `predicted IoU ${e.quality.toFixed(2)}` : '') })));
}
