// How far blind annotators agree, for reviewers.
import { get } from './api.js';
import { el } from './dom.js';
import { ask, note } from './dialog.js';

const score = (v) => (v === null ? '–' : v.toFixed(3));

function table(heads, rows) {
  return el('table', {}, el('thead', {}, el('tr', {}, heads.map((h) => el('th', { text: h })))), el('tbody', {}, rows));
}

// showAgreement shows the scores per pair of annotators, and the pictures on which they agree least.
export async function showAgreement(nav) {
  let a;
  try {
    a = await get('/api/agreement');
  } catch (e) {
    note(e.message, 'fault');
    return;
  }
  const body = el('div', { class: 'agreement' });
  const cells = (r) => [r.iou, r.boundary_f, r.kappa].map((v) => el('td', { text: score(v) }));
  if (a.rows.length === 0) body.append(el('p', { class: 'muted', text: 'No picture has been submitted by both of its annotators yet.' }));
  else {
    const open = (im) => { /** @type {HTMLElement} */ (document.querySelector('dialog [data-choice]')).click(); nav.edit(im.key); };
    const worst = a.images.toSorted((x, y) => (x.iou ?? 0) - (y.iou ?? 0)).slice(0, 8);
    body.append(
      table(['annotators', 'pictures', 'IoU', 'boundary F', 'kappa'], a.rows.map((r) => el('tr', {}, el('td', { text: `${r.a}, ${r.b}` }), el('td', { text: r.images }), cells(r)))),
      el('p', { class: 'muted', text: a.blind_start === 'empty' ? 'Both began with an empty mask.' : 'Both began with the same mask of the manifest: they agree more than people who begin with nothing.' }),
      el('h2', { text: 'Least agreement' }),
      table(['picture', 'annotators', 'IoU', 'boundary F', 'kappa'], worst.map((im) => el('tr', {},
        el('td', {}, el('button', { type: 'button', class: 'quiet', text: im.id, on: { click: () => open(im) } })), el('td', { text: `${im.a}, ${im.b}` }), cells(im)))));
  }
  await ask('Agreement', body, [{ value: true, label: 'Close', primary: true }]);
}
