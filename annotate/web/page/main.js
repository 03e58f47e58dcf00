// The page: logs in, and shows the queue or the editor by the address after '#'.
import { item, loadSession, post, session } from './api.js';
import { el } from './dom.js';
import { closeDialogs, note } from './dialog.js';
import { loginForm } from './login.js';
import { Editor } from './editor.js';
import { ask as askLive, follow, live } from './live.js';
import { query, readQuery } from './filters.js';
import { deal, loadQueue, memory, neighbor, openQueue, take } from './queue.js';

const app = document.getElementById('app');
let current = null;
let turns = 0; // addresses that were shown

const nav = {
  edit: (key) => { location.hash = `#${session.readOnly ? 'picture' : 'edit'}/${encodeURIComponent(key)}${query()}`; },
  queue: () => { if (location.hash === `#${query()}`) route(); else location.hash = `#${query()}`; },
  next: () => go(1),
  previous: () => go(-1),
  reopen: () => route(),
  took: (key, detail) => { if (current?.key === key && !current.closed) current.took(detail); },
  logout: async () => {
    await post('/api/logout').catch(() => {});
    location.reload();
  },
};

// go opens the next picture that is dealt to the person, or the previous one, whoever has it. The next one is theirs before it is
// opened: where another takes it at the same time, it goes on.
async function go(by) {
  const turn = turns, dealing = by > 0 && !session.readOnly;
  const choose = () => (dealing ? deal(memory.key) : neighbor(memory.key, by));
  if (dealing) await askLive();
  let key = choose();
  while (dealing && key) {
    live.key = key;
    await askLive();
    if (!live.open[key]) break;
    key = choose();
  }
  if (turn !== turns) return; // another address came meanwhile
  if (key) { nav.edit(key); return; }
  live.key = current?.key ?? '';
  note(`This is the ${by > 0 ? 'last' : 'first'} one${session.readOnly ? '' : ' of the queue'}${dealing && neighbor(memory.key, by) ? ' that nobody else has open or was given' : ''}.`);
}

// timing.ahead is how long, in milliseconds, a picture is open before the next one is fetched.
export const timing = { ahead: 1500 };

// ahead lets the browser keep the picture that Next would open now, so that it is there at once.
function ahead() {
  const key = session.readOnly ? neighbor(memory.key, 1) : deal(memory.key);
  const e = memory.shown.find((k) => k.key === key);
  if (e) fetch(`${item(e.key, 'image')}?v=${e.image}`).catch(() => {}); // opening it says what is wrong
}

// news takes what others did, and shows it where it matters.
async function news(entries) {
  take(entries);
  await current?.changed?.(entries);
}

async function route() {
  const turn = ++turns;
  await current?.leave?.();
  if (turn !== turns) return; // another address came while the save was waited for
  current?.close();
  current = null;
  closeDialogs();
  readQuery(location.hash);
  const edit = location.hash.match(/^#(?:edit|picture)\/([^?]+)/);
  try {
    if (edit) {
      memory.key = decodeURIComponent(edit[1]);
      if (memory.entries.length === 0) await loadQueue();
      if (turn !== turns) return;
      live.key = memory.key;
      askLive();
      const editor = new Editor(app, memory.key, nav);
      current = editor;
      globalThis.annotate = editor; // for the browser's console
      await editor.open();
      setTimeout(() => { if (current === editor) ahead(); }, timing.ahead);
    } else {
      live.key = '';
      askLive();
      for (let known; known !== live.learned;) { // what the model learned while the queue came is not in it
        known = live.learned;
        await loadQueue();
      }
      if (turn === turns) current = openQueue(app, nav);
    }
  } catch (e) {
    if (turn !== turns) return;
    if (e.status === 401) { start(); return; }
    const why = e.status === 404 ? 'There is no such picture here, or it is not for you.' : e.status === 0 ? `The server cannot be reached. ${session.readOnly ? '' : 'What you drew is kept in this browser.'}` : e.message;
    app.replaceChildren(el('div', { class: 'login' }, el('h1', { text: session.readOnly ? 'hdseg view' : 'hdseg annotate' }), el('p', { class: 'fault', text: why }),
      el('button', { type: 'button', class: 'primary', text: 'Try again', on: { click: route } }), el('button', { type: 'button', text: session.readOnly ? 'All pictures' : 'Queue', on: { click: nav.queue } })));
    if (e.status === undefined) console.error(e); // not a refusal: a fault of the page
  }
}

async function start() {
  try {
    await loadSession();
  } catch (e) {
    app.replaceChildren(el('div', { class: 'login' }, el('p', { class: 'fault', text: e.message }), el('button', { type: 'button', text: 'Try again', on: { click: start } })));
    return;
  }
  document.title = `${session.dataset} · hdseg ${session.readOnly ? 'view' : 'annotate'}`;
  follow(news);
  if (session.person) route();
  else app.replaceChildren(loginForm(route));
}

addEventListener('hashchange', () => { if (session.person) route(); });
start();
