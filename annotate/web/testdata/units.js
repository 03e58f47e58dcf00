// Unit tests of the page's modules, run in a browser by TestPageUnits: results is what failed, done is set at the end.
import { FIGURE, GROUND, Mask, VOID, decodeRuns, encodeRuns } from './page/mask.js';
import { differing, fillHoles, invert, keepLargest, merged, union, voidBand } from './page/ops.js';
import { debounce, el } from './page/dom.js';
import { Effort } from './page/effort.js';
import { session } from './page/api.js';
import { filters } from './page/filters.js';
import { live } from './page/live.js';
import { deal, memory } from './page/queue.js';
import { nameOf } from './page/keys.js';
import { View } from './page/view.js';
import { fill } from './page/tools/polygon.js';

const faults = [];
let checks = 0;

function equal(what, got, want) {
  checks++;
  const [a, b] = [got, want].map((v) => JSON.stringify(v instanceof Uint8Array ? [...v] : v));
  if (a !== b) faults.push(`${what}: got ${a}, want ${b}`);
}

// masks are drawn as rows: '#' figure, '.' ground, '?' void.
const draw = (...rows) => Uint8Array.from(rows.join(''), (c) => (c === '#' ? FIGURE : c === '?' ? VOID : GROUND));
const show = (px, width) => Array.from({ length: px.length / width }, (_, y) => [...px.subarray(y * width, (y + 1) * width)].map((v) => (v === FIGURE ? '#' : v === VOID ? '?' : '.')).join(''));

const tests = {
  runs() {
    const px = draw('..##', '??.#');
    const runs = encodeRuns(px, 4, 2);
    equal('runs', runs, { width: 4, height: 2, runs: [0, 2, 1, 2, 255, 2, 0, 1, 1, 1] });
    equal('and back', decodeRuns(runs), px);
  },

  undo() {
    const m = new Mask(130, 70); // of more than one tile
    let changes = 0;
    m.onChange = () => { changes++; };
    m.begin('brush');
    m.span(3, -5, 200, FIGURE); // clipped
    m.span(-1, 0, 9, FIGURE);
    m.span(70, 0, 9, FIGURE);
    equal('end tells of a change', m.end(), true);
    equal('a row', m.px.filter((v) => v === FIGURE).length, 130);
    m.begin('brush');
    m.span(3, 0, 10, FIGURE);
    equal('the same again is no change', [m.end(), m.done.length, m.version], [false, 1, 1]);
    m.begin('eraser');
    m.span(3, 0, 65, GROUND);
    m.end();
    equal('undo', [m.undo(), m.px[3 * 130], m.redo(), m.px[3 * 130]], [true, FIGURE, true, GROUND]);
    m.begin('brush');
    m.span(5, 0, 9, VOID);
    m.cancel();
    equal('cancel', [m.px[5 * 130], m.done.length, changes], [GROUND, 2, 4]);
    equal('all undone', [m.undo(), m.undo(), m.undo(), m.isEmpty()], [true, true, false, true]);
    equal('strokes by tool', m.tools, { brush: 1, eraser: 1 });
  },

  hints() {
    const m = new Mask(4, 1);
    const hints = { box: [0, 0, 4, 1], marks: [] };
    equal('hints alone are a step to undo, nothing to save', [m.replace(draw('....'), 'box', hints), m.version, m.hints === hints, m.undo(), m.hints === hints], [false, 0, true, true, false]);
  },

  whole() {
    const ring = draw('.....', '.###.', '.#?#.', '.###.', '#....');
    equal('fill holes', show(fillHoles(ring, 5, 5), 5), ['.....', '.###.', '.###.', '.###.', '#....']);
    equal('keep the largest', show(keepLargest(ring, 5, 5), 5), ['.....', '.###.', '.#?#.', '.###.', '.....']);
    equal('invert', show(invert(draw('#.?')), 3), ['.#?']);
    equal('void band', show(voidBand(draw('##....', '##....'), 6, 2, 1), 6), ['#??...', '#??...']);
    equal('union', show(union(draw('#.?.#'), draw('.##..')), 5), ['###.#']);
  },

  differences() {
    const mine = draw('##...', '.....', '...##'), theirs = draw('.....', '..#..', '....#');
    equal('one region', show(differing(mine, theirs, 5, 0), 5), ['.....', '..#..', '....#']); // joined at corners
    equal('where they are equal', differing(mine, theirs, 5, 4), null);
    equal('another', show(differing(draw('#...#'), draw('.....'), 5, 4), 5), ['#....']);
    equal('no wrap around the border', show(differing(draw('....#', '#....'), draw('.....', '.....'), 5, 4), 5), ['.....', '#....']);
    equal('merged', show(merged(draw('##..'), draw('#.#.'), draw('#...')), 4), ['###.']);
    equal('both changed: mine stays', show(merged(draw('?'), draw('#'), draw('.')), 1), ['?']);
  },

  polygon() {
    const m = new Mask(6, 4);
    m.begin('polygon');
    fill(m, [{ x: 1, y: 1 }, { x: 5, y: 1 }, { x: 5, y: 3 }, { x: 1, y: 3 }], FIGURE);
    m.end();
    equal('a box by pixel centers', show(m.px, 6), ['......', '.####.', '.####.', '......']);
  },

  keys() {
    const key = (k, o = {}) => nameOf({ key: k, ...o });
    equal('names', [key('a'), key('A'), key('Z', { shiftKey: true }), key('Enter', { ctrlKey: true }), key(' '), key('?', { shiftKey: true }), key('s', { metaKey: true })],
      ['a', 'a', 'Shift+Z', 'Ctrl+Enter', 'Space', '?', 'Ctrl+s']);
  },

  view() {
    const v = new View(100, 50);
    v.resize(200, 200);
    equal('fitted', [v.scale, v.fromX(50), v.fromY(25)], [1.92, 100, 100]);
    v.zoomAt(20, 30, 2);
    const before = [v.toX(20), v.toY(30)];
    v.zoomAt(20, 30, 1.5);
    equal('the point under the pointer stays', [v.toX(20), v.toY(30)].map((x) => Math.round(x * 1e6)), before.map((x) => Math.round(x * 1e6)));
    v.pan(1e6, 1e6);
    equal('some of the picture stays in the pane', [v.x, v.y], [160, 160]);
  },

  text() {
    const e = el('p', { class: 'x', title: false, dataset: { a: 1 } }, '<b>', null);
    equal('text is never markup', e.outerHTML, '<p class="x" data-a="1">&lt;b&gt;</p>');
  },

  effort() {
    let at = 0;
    const editor = { tool: { name: 'brush' } }, e = new Effort(editor, () => at);
    const wait = (ms) => { at += ms; e.tick(); };
    wait(2000);
    wait(60_001); // a pause does not count
    wait(1000);
    editor.tool = { name: 'box' };
    wait(60_000);
    e.click('box');
    e.click('box');
    e.close();
    equal('seconds by tool', e.seconds, { brush: 3, box: 60 });
    equal('clicks by tool', e.clicks, { box: 2 });
  },

  deal() {
    session.person = { name: 'Ann', role: 'annotator' };
    const of = (key, state, assignee = '', author = '') => ({ key, state, assignee, author });
    memory.shown = [of('a', 'proposed'), of('b', 'accepted'), of('c', 'proposed', 'Ben'), of('d', 'proposed', 'Ann'), of('e', 'proposed'), of('f', 'submitted', 'Ann', 'Ann')];
    const dealt = () => ['', 'a', 'd', 'e'].map(deal).join();
    equal('her own first', dealt(), 'd,d,e,d');
    live.open = { d: 'Ben' };
    equal('what another has open is not dealt', dealt(), 'a,e,e,f');
    live.open = {};
    memory.shown[3].state = 'submitted';
    equal('what she has done neither, and nothing of another', dealt(), 'a,e,e,f');
    filters.assignee = 'Ben';
    equal('unless she asks', ['a', 'b'].map(deal).join(), 'c,c');
    filters.assignee = '';
    session.person = { name: 'Rita', role: 'reviewer' };
    equal('a reviewer goes on to what was submitted', ['a', 'e'].map(deal).join(), 'd,f');
    session.person = null;
    memory.shown = [];
  },

  async debounce() {
    let n = 0;
    const later = debounce(() => { n++; }, () => 5);
    later();
    later();
    equal('not yet', [n, later.due()], [0, true]);
    later.now();
    later.now();
    equal('once', [n, later.due()], [1, false]);
    later();
    later.cancel();
    await new Promise((r) => { setTimeout(r, 30); });
    equal('cancelled', n, 1);
  },
};

for (const [name, f] of Object.entries(tests)) {
  try {
    await f();
  } catch (e) {
    faults.push(`${name}: ${e.stack}`);
  }
}
globalThis.results = { faults, checks };
