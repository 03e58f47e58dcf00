// The panel at the right of the editor: the tool's options, the view, the whole mask, remarks and history.
import { el, clock } from './dom.js';
import { session } from './api.js';
import { keyFor } from './keys.js';
import { live } from './live.js';
import { titles } from './tools/index.js';

const hints = {
  superpixel: 'Click or drag over cells. Ground (Shift, the right button) takes them away.',
  brush: 'Drag. Ground (Shift) erases.',
  eraser: 'Drag over what is not figure.',
  polygon: 'Click vertices, drag them, click an edge for a new one. A click on the first one (Enter) fills; with Ground (Shift) it cuts out.',
  box: 'Drag a box around the figure, or click on it: it is cut out. Add (Shift) keeps what is there. A click on what is wrong takes it away.',
  scribbleFigure: 'Draw over missing figure: the cut is made again.',
  scribbleGround: 'Draw over what is wrongly figure: the cut is made again.',
  boxes: 'Drag to draw a box, drag its sides to correct it; Clear (Delete) takes the last one away. Boxes are kept at once.',
  void: 'Drag over pixels that nobody can tell.',
  take: 'Pink is figure here alone, green is figure in the other mask alone. Click a region to take it from the other mask; undo gives it back.',
  comment: 'Click a point to pin a remark.',
  move: 'Drag the picture.',
};

export function panel(editor, act) {
  const { settings } = editor, reviewer = session.person.role === 'reviewer';
  const section = (title, ...kids) => el('section', {}, el('h2', { text: title }), ...kids);
  const button = (action, label) => el('button', { type: 'button', dataset: { action }, title: keyFor('editor', action), text: label, on: { click: (e) => { e.currentTarget.blur(); act[action](); } } });
  const slider = (label, min, max, get, set) => {
    const value = el('output');
    const input = el('input', { type: 'range', min, max, 'aria-label': label, on: { input: () => { set(Number(input.value)); refresh(); } } });
    const row = el('label', { class: 'slider' }, el('span', { text: label }), input, value);
    row.refresh = () => { input.value = get(); value.textContent = get(); };
    return row;
  };

  const brush = slider('Size', 1, 200, () => settings.brush, (v) => { settings.brush = v; editor.pane.schedule(); });
  const cells = el('div', { class: 'segmented', role: 'group', 'aria-label': 'Cell size' }, ['Coarse', 'Medium', 'Fine'].map((t, i) => el('button', {
    type: 'button', text: t, dataset: { cells: i }, on: { click: (e) => { e.currentTarget.blur(); settings.cells = i; editor.tool.enter?.(); refresh(); } },
  })));
  const fromBoxes = button('cutBoxes', 'Cut from its boxes');
  const toolTitle = el('h2'), toolHint = el('p', { class: 'muted' });
  const learning = el('p', { class: 'muted learning', text: 'The class model is still being learned: until then cuts go by colors alone.' });
  const take = el('button', { type: 'button', dataset: { action: 'takeAll' }, text: 'Take the whole other mask', on: { click: (e) => { e.currentTarget.blur(); act.takeAll(); } } });
  const opacity = slider('Opacity', 0, 100, () => Math.round(100 * settings.opacity), (v) => act.setOpacity(v / 100));
  const light = ['brightness', 'contrast'].map((name) => slider(name[0].toUpperCase() + name.slice(1), 25, 300, () => settings[name], (v) => act.setLight({ [name]: v })));
  // Each switch chooses between two ways of the tools that it turns, as Shift does while it is held.
  const ways = [['ground', 'What is painted', 'Figure', 'Ground'], ['add', 'What a cut does', 'Anew', 'Add']];
  const switches = ways.map(([name, label, ...texts]) => {
    const root = el('div', { class: 'segmented two', role: 'group', 'aria-label': label }, texts.map((text, i) => el('button', {
      type: 'button', text, dataset: { [name]: i }, on: { click: (e) => { e.currentTarget.blur(); settings[name] = i === 1; editor.frame.refresh(); } },
    })));
    root.refresh = () => {
      root.hidden = editor.tool?.turned !== name;
      for (const b of root.children) b.setAttribute('aria-pressed', String((b.dataset[name] === '1') === settings[name]));
    };
    return root;
  });
  const beside = el('select', { 'aria-label': 'Other mask', on: { change: async () => { await editor.compare.show(editor.compare.choices()[beside.selectedIndex - 1] ?? null); beside.blur(); } } });
  const model = button('model', 'Mask of the model');
  const band = slider('Band', 1, 12, () => settings.band, (v) => { settings.band = v; });
  const verdict = el('div', { class: 'verdict' });
  const blind = el('div', { class: 'blind' });
  const remarks = el('ol', { class: 'remarks' }), log = el('ol', { class: 'log' });

  const drawing = session.readOnly ? [] : [verdict, blind, el('section', {}, toolTitle, toolHint, learning, switches, brush, cells, fromBoxes, take)];
  const root = el('aside', { class: 'panel' }, drawing,
    section('View', opacity, ...light, el('div', { class: 'row' }, button('contour', 'Contour'), button('hideOverlay', 'Hide mask')), el('label', { class: 'stack' }, 'Other mask', beside), button('take', 'As a difference'), model),
    session.readOnly ? facts(editor) : [section('Whole mask', el('div', { class: 'grid' }, button('fill', 'Fill holes'), button('largest', 'Keep largest'), button('invert', 'Invert'), button('clear', 'Clear'), button('voidBand', 'Void band')), band),
    section('Remarks', remarks),
    section('History', log)]);

  function refresh() {
    const d = editor.detail, name = editor.tool?.name ?? 'superpixel';
    toolTitle.textContent = titles[name];
    toolHint.textContent = hints[name];
    learning.hidden = !live.learning || d.blind; // blind masks are cut by colors anyway
    brush.hidden = !editor.tool?.sized;
    cells.hidden = name !== 'superpixel';
    fromBoxes.hidden = name !== 'box' && name !== 'boxes';
    take.hidden = name !== 'take';
    take.disabled = d.readOnly !== '';
    root.querySelector('[data-action=take]').setAttribute('aria-pressed', String(name === 'take'));
    for (const b of cells.children) b.setAttribute('aria-pressed', String(Number(b.dataset.cells) === settings.cells));
    for (const s of [...switches, brush, opacity, band, ...light]) s.refresh();
    root.querySelector('[data-action=contour]').setAttribute('aria-pressed', String(settings.contour));
    root.querySelector('[data-action=hideOverlay]').setAttribute('aria-pressed', String(settings.hidden ?? false));
    for (const b of root.querySelectorAll('.grid button')) b.disabled = d.readOnly !== '';
    verdict.replaceChildren(...(d.line.reason ? [el('strong', { text: d.line.state === 'set aside' ? 'Set aside' : 'Rejected' }), el('p', { text: d.line.reason })] : []));
    const shown = JSON.stringify(editor.compare.what ?? null);
    beside.replaceChildren(el('option', { text: 'nothing' }), ...editor.compare.choices().map((c) => el('option', { text: c.label,
      selected: shown !== 'null' && editor.compare.what.kind === c.kind && editor.compare.what.tier === c.tier && editor.compare.what.line === c.line && editor.compare.what.revision === c.revision })));
    model.hidden = session.readOnly || !d.tiers.includes('model');
    model.setAttribute('aria-pressed', String(name === 'take' && editor.compare.what?.tier === 'model'));
    blind.replaceChildren(...adjudication(editor, reviewer));
    remarks.replaceChildren(...d.remarks.map((r, i) => remark(editor, r, i + 1)));
    if (d.remarks.length === 0) remarks.append(el('li', { class: 'muted', text: keyFor('editor', 'comment') ? `None. Comment (${keyFor('editor', 'comment')}) pins one.` : 'None.' }));
    log.replaceChildren(...d.events.toReversed().map((e) => event(editor, e)));
    if (d.events.length === 0) log.append(el('li', { class: 'muted', text: 'Nothing was saved yet.' }));
  }
  return { root, refresh };
}

// facts are what the data set says of the picture and of its masks.
function facts(editor) {
  const { detail: d } = editor;
  const of = (m) => [`revision ${m.revision}`, m.quality ? `predicted IoU ${m.quality.toFixed(2)}` : '', m.status ?? '', m.wasGeneratedBy ? `by ${m.wasGeneratedBy}` : ''].filter((t) => t).join(', ');
  const row = (name, text) => el('li', {}, el('div', { class: 'grow' }, el('p', { text: name }), el('small', { text })));
  return [el('section', {}, el('h2', { text: 'Picture' }), el('ul', { class: 'log facts' }, row(`${d.width} x ${d.height} pixels`, d.synset || 'no synset'), row(`${d.boxes?.length ?? 0} boxes`, d.boxes?.length ? 'yellow' : ''))),
    el('section', {}, el('h2', { text: 'Masks' }), el('ul', { class: 'log facts' }, (d.masks ?? []).map((m) => row(m.tier, of(m))),
      d.iou === undefined ? null : row('model', `IoU ${d.iou.toFixed(3)} with the true mask`)))];
}

// adjudication lets a reviewer choose between two blind masks.
function adjudication(editor, reviewer) {
  const { detail: d } = editor;
  if (!reviewer || d.others.length === 0) return [];
  return [el('h2', { text: 'Two blind masks' }),
    el('p', { class: 'muted', text: d.line.head === 0 ? 'They are shown beside one another. Choose one, and correct it if need be.' : 'You may still choose the other one.' }),
    ...d.others.map((l) => el('div', { class: 'row' }, el('span', { class: 'grow', text: l.author }),
      d.line.head === 0 ? null : el('button', { type: 'button', text: 'Show', dataset: { show: l.line }, on: { click: () => editor.showRevision(l.line, l.head) } }),
      el('button', { type: 'button', class: 'primary', text: 'Choose', dataset: { choose: l.line }, on: { click: async () => {
        if (await editor.act(['adjudicate'], { choose: l.line, base: d.line.head })) editor.reload();
      } } })))];
}

function remark(editor, r, n) {
  return el('li', { class: r.resolved ? 'settled' : '' },
    el('button', { type: 'button', class: 'pin', text: String(n), title: 'Show the place', on: { click: () => editor.view.center(r.x, r.y) } }),
    el('div', {}, el('p', { text: r.text }), el('small', { text: r.resolved ? `${r.by}, settled by ${r.resolved}` : `${r.by}, ${clock(r.at)}` })),
    r.resolved || !r.yours ? null : el('button', { type: 'button', class: 'quiet', text: 'Settle', on: { click: () => editor.act(['comments', r.comment, 'resolve'], {}) } }));
}

const said = {
  saved: (e) => `saved revision ${e.revision}${e.author ? `, ${e.author}'s mask` : ''}`,
  aside: (e) => `kept revision ${e.revision} aside`,
  moved: (e) => `${e.to}${e.reason ? `: ${e.reason}` : ''}`,
  assigned: (e) => (e.assigned ? `assigned it to ${e.assigned}` : 'took it back'),
  boxed: (e) => `drew boxes: ${e.boxes?.length ?? 0} now`,
  comment: (e) => `remarked: ${e.text}`,
  resolved: (e) => `settled remark ${e.comment}`,
};

function event(editor, e) {
  const show = e.revision ? el('button', { type: 'button', class: 'quiet', text: 'Show', on: { click: () => editor.showRevision(e.line, e.revision) } }) : null;
  return el('li', {}, el('div', { class: 'grow' }, el('p', { text: said[e.kind]?.(e) ?? e.kind }), el('small', { text: `${e.by}, ${clock(e.at)}` })), show);
}
