// The editor of one picture: loads it, and joins mask, panes, tools, keys, saving and review.
import { get, getBlob, headBy, item, post, session } from './api.js';
import { el, clock } from './dom.js';
import { ask, askText, note } from './dialog.js';
import { bind } from './keys.js';
import { Mask, decodeRuns } from './mask.js';
import { View } from './view.js';
import { Pane } from './pane.js';
import { attach } from './input.js';
import { makeTools } from './tools/index.js';
import { outline } from './tools/boxes.js';
import { CellStore } from './cells.js';
import { Saver, UNANSWERED, findDraft } from './save.js';
import { Effort } from './effort.js';
import { Compare } from './compare.js';
import { frame } from './frame.js';
import { actions, filterOf } from './actions.js';

// settings outlive the picture: the next one opens as this one was left.
const settings = { tool: 'superpixel', brush: 24, cells: 1, band: 3, opacity: 0.45, contour: false, brightness: 100, contrast: 100, ground: false, add: false };

const wait = (ms) => new Promise((r) => { setTimeout(r, ms); });

export class Editor {
  constructor(root, key, nav) {
    this.root = root;
    this.key = key;
    this.nav = nav; // next(), previous(), queue()
    this.settings = settings;
    this.pointer = null;
    this.asked = []; // the cuts that were not answered yet, the last one at the end
    /** @type {import('./api.js').Detail} */
    this.detail = null;
    /** @type {import('./tools/index.js').Tool} */
    this.tool = null;
    this.undoers = [];
    /** @type {HTMLElement | null} */
    this.newer = null; // the bar of offerNewer
    this.turn = Promise.resolve(); // ends with the last request of inTurn
    this.cuts = Promise.resolve(); // ends with the last cut that was asked for
    this.leaving = null; // ends when the last save was answered
    this.endStroke = () => {}; // finishes the stroke under way
    this.dropStroke = () => false; // takes it back, and tells whether there was one
  }

  async open() {
    const d = await get(item(this.key));
    if (!(this.detail?.version > d.version)) this.detail = d; // else something newer came meanwhile
    this.draft = null; // what a crash left unsaved, until the person restores or discards it
    const [bitmap, px, draft] = await Promise.all([
      getBlob(`${item(this.key, 'image')}?v=${d.image}`).then((b) => createImageBitmap(b, { imageOrientation: 'none', colorSpaceConversion: 'none' })),
      this.start(d),
      findDraft(this),
    ]);
    if (this.closed) return;
    this.mask = new Mask(d.width, d.height);
    if (px) this.mask.px.set(px);
    this.view = new View(d.width, d.height);
    this.pane = new Pane(this.view);
    Object.assign(this.pane.look, { opacity: settings.opacity, contour: settings.contour });
    this.pane.picture.style.filter = filterOf(settings);
    this.pane.mask = this.mask;
    this.pane.drawUI = (g) => this.drawUI(g);
    this.compare = new Compare(this, bitmap);
    this.cellStore = new CellStore(this.key, d.image);
    this.tools = makeTools(this);
    this.mask.onDirty = (...r) => this.pane.changed(...r);
    this.frame = frame(this);
    this.root.replaceChildren(this.frame.root);
    this.pane.setPicture(bitmap);
    this.saver = new Saver(this, d.line, d.proposal);
    this.mask.onChange = () => { this.saver.changed(); this.frame.refresh(); };
    this.undoers.push(bind('editor', actions(this)), attach(this, this.pane), attach(this, this.compare.pane));
    this.effort = new Effort(this);
    this.setTool(session.readOnly ? 'move' : settings.tool);
    this.status(session.readOnly ? '' : d.line.head > 0 ? `revision ${d.line.head}` : d.proposal ? `proposal: ${d.proposal}` : 'empty', '');
    if (session.readOnly) this.pane.label.textContent = this.pane.name = d.iou === undefined ? d.proposal : `true mask, ${d.proposal}`;
    if (d.iou !== undefined) {
      await this.compare.show(this.compare.choices().find((c) => c.tier === 'model'));
      this.frame.refresh();
    }
    this.draft = draft;
    if (draft) this.offerDraft(draft);
    if (this.toChoose()) {
      this.pane.label.textContent = this.pane.name = d.others[0].author;
      await this.compare.show({ kind: 'revision', line: d.others[1].line, revision: d.others[1].head, label: d.others[1].author });
      this.status('two blind masks', '');
      this.frame.refresh();
    }
  }

  // toChoose tells whether a reviewer has two blind masks to choose from: the first is shown as the mask, the other beside it.
  toChoose() { return this.detail.others.length === 2 && this.detail.line.head === 0; }

  // start fetches the mask to begin with: the head, or the proposal.
  async start(d) {
    if (this.toChoose()) return decodeRuns(await get(item(this.key, 'lines', d.others[0].line, d.others[0].head)));
    if (d.line.head > 0) return decodeRuns(await get(item(this.key, 'lines', d.line.line, d.line.head)));
    if (d.proposal) return decodeRuns(await get(item(this.key, 'tiers', d.proposal)));
    return null;
  }

  // leave saves what is not saved yet; what the server does not take stays in this browser as a draft.
  leave() {
    this.endStroke();
    this.leaving ??= this.saver && Promise.all([Promise.race([this.cuts, wait(5000)]).then(() => this.saver.leave()), Promise.race([this.effort.send(), wait(1000)])]);
    return this.leaving;
  }

  close() {
    this.closed = true;
    this.saver?.close();
    this.effort?.close();
    for (const f of this.undoers) f();
    this.pane?.close();
    this.compare?.pane.close();
  }

  async reload() {
    this.nav.reopen();
  }

  // offerDraft shows what a crash left unsaved in this browser. Until it is answered nothing is painted or saved, so that
  // no newer draft takes its place.
  offerDraft(draft) {
    const answered = () => { bar.remove(); this.draft = null; };
    const bar = el('div', { class: 'bar', role: 'status' },
      el('span', { text: `Unsaved strokes of ${clock(draft.at)} were kept in this browser.` }),
      el('button', { type: 'button', class: 'primary', dataset: { draft: 'restore' }, text: 'Restore', on: { click: () => {
        answered();
        this.saver.base = draft.base;
        this.mask.replace(decodeRuns(draft.runs), 'draft');
      } } }),
      el('button', { type: 'button', dataset: { draft: 'discard' }, text: 'Discard', on: { click: async () => {
        if (!await ask('Discard the unsaved strokes?', 'They are in this browser alone, and cannot be brought back.', [{ value: false, label: 'Cancel' }, { value: true, label: 'Discard', danger: true }])) return;
        answered();
        this.saver.dropDraft();
      } } }));
    this.frame.bars.append(bar);
  }

  setTool(name) {
    this.effort.tick();
    this.tool?.leave?.();
    if (name !== 'take') {
      this.before = name;
      if (!session.readOnly) settings.tool = name;
    }
    this.tool = this.tools.get(name);
    this.tool.enter?.();
    this.frame.refresh();
    this.pane.schedule();
  }

  drawUI(g) {
    if (!this.settings.hidden || this.tool?.name === 'boxes') for (const b of this.detail.boxes ?? []) outline(g, this.view, b);
    for (const [i, r] of this.detail.remarks.entries()) if (!r.resolved) pin(g, this.view, r, i + 1);
    this.tool?.draw?.(g, this.view, this.pointer);
  }

  mayEdit() { return !this.draft && this.detail.readOnly === ''; }

  explainReadOnly() { note(this.draft ? UNANSWERED : `Read-only: ${this.detail.readOnly}.`); }

  // isMine tells whether a reviewer looks at work of their own, which another one accepts. What they correct in submitted
  // work stays its owner's; strokes on anything else make it theirs.
  isMine() {
    if (session.person.role !== 'reviewer' || session.selfReview) return false;
    const { work, owner, head } = this.detail.line, me = session.person.name;
    return work === me || (owner === '' && (this.saver.dirty() || (head === 0 && !this.detail.proposal)));
  }

  // goal is the state that Ctrl+Enter leads to.
  goal() { return session.person.role === 'reviewer' && !this.isMine() ? 'accepted' : 'submitted'; }

  // mayReach tells whether the person can bring the mask to its goal, perhaps by saving it first.
  mayReach() {
    const { line, readOnly, moves } = this.detail;
    return line.state !== this.goal() && (readOnly === '' || moves.includes(this.goal()));
  }

  status(text, kind) { this.frame?.status(text, kind); }

  // waiting counts the cuts that are under way; dropCut takes the last one back, and tells whether there was one.
  get waiting() { return this.asked.length; }

  dropCut() { return this.asked.pop() !== undefined; }

  // inTurn sends a request after those before it were answered, so that no older answer is shown over a newer one.
  inTurn(request) {
    const answer = this.turn.then(request);
    this.turn = answer.catch(() => {});
    return answer;
  }

  // saved and took are told what the server knows now. The mask is safe by then: what cannot be asked for comes with the next answer.
  async saved() {
    try {
      this.took(await this.inTurn(() => get(item(this.key))));
    } catch (e) {
      if (e.status !== 0) note(e.message, 'fault');
    }
  }

  took(detail) {
    if (this.closed) { this.nav.took(this.key, detail); return; } // the page was loaded anew meanwhile
    if (this.detail?.version > detail.version) return; // it was asked for before
    const could = this.detail?.readOnly === '';
    this.detail = detail;
    if (!could && detail.readOnly === '') this.saver?.changed(); // what was restored while it was another's
    if (this.saver?.base === detail.line.head) this.newer?.remove();
    this.frame?.refresh();
    this.pane?.schedule();
  }

  // changed is told what others did. What they did to this mask ends a stroke that cannot be saved any more; it stays in this
  // browser as a draft.
  async changed(entries) {
    const e = entries.find((k) => k.key === this.key), { line } = this.detail ?? {};
    if (line && e && (e.head !== line.head || e.state !== line.state || e.author !== line.author)) {
      const could = this.mayEdit();
      await this.saved();
      this.offerNewer(line.head);
      if (could && !this.mayEdit() && !this.saver?.flight) { // else the answer to the save says so
        if (this.saver?.dirty()) {
          this.endStroke();
          this.saver.autosave.cancel();
          await this.saver.keepDraft(true);
          this.status('not saved: kept in this browser', 'fault');
        }
        note(`${this.detail.readOnly}.`, 'fault');
      }
    }
    this.frame?.refresh();
  }

  // offerNewer offers to show what somebody saved while this page shows, without changes, the mask before; was is the head
  // that it knew.
  offerNewer(was) {
    const { detail: { line }, saver } = this;
    if (line.head === was || line.head === saver.base || saver.dirty() || saver.flight || this.draft) return;
    this.newer?.remove();
    this.newer = el('div', { class: 'bar', role: 'status' }, el('span', { text: `${headBy(line)} saved this mask. Here it is as it was before.` }),
      el('button', { type: 'button', class: 'primary', dataset: { newer: 'show' }, text: 'Show it', on: { click: () => this.reload() } }));
    this.frame.bars.append(this.newer);
  }

  // act sends a request about the item and shows what comes of it; it tells whether that went well.
  async act(path, body) {
    try {
      this.took(await this.inTurn(() => post(item(this.key, ...path), body)));
      return true;
    } catch (e) {
      if (e.status === 409 && !this.closed) {
        const go = await ask('The mask changed meanwhile', `${headBy(e.data.line)} saved revision ${e.data.line.head}. Look at it before you decide.`,
          [{ value: true, label: 'Load it', primary: true }]);
        if (go) this.reload();
      } else {
        note(e.message, 'fault');
      }
      return false;
    }
  }

  // moveTo saves what is not saved, a cut under way too, and changes the state.
  async moveTo(to, reason = '') {
    this.effort.send();
    await this.cuts;
    try {
      await this.saver.save(to !== 'set aside', false); // the move says that it counts
    } catch (e) {
      if (e.status !== 409) note(e.message, 'fault');
      return false;
    }
    return this.act(['state'], { to, base: this.saver.base, reason });
  }

  // accept does the next good thing: an annotator submits, a reviewer accepts. Where that was done, it goes on.
  async accept() {
    const to = this.goal();
    if (this.detail.line.state === to) { this.nav.next(); return; }
    if (!this.mayReach()) { this.explainReadOnly(); return; }
    const { state, author, owner } = this.detail.line;
    if (to === 'accepted' && state === 'edited' && owner === '' && author !== session.person.name) {
      const sure = await ask('This is a draft', `${author} has not submitted it. Accept it as it is?`,
        [{ value: null, label: 'Cancel', primary: true }, { value: 'accept', label: 'Accept' }]);
      if (!sure) return;
    }
    if (await this.moveTo(to)) {
      note(to === 'accepted' ? 'Accepted.' : 'Submitted.', 'ok');
      this.nav.next();
    }
  }

  async reject() {
    if (!this.detail.moves.includes('rejected')) { note('Only a reviewer can reject, and only what was submitted.'); return; }
    const reason = await askText('Reject', 'What should be better?', 'Reject', ['The outline is loose', 'A part is missing', 'Too much is figure', 'Thin parts (legs, tail) are cut off', 'Another object is figure']);
    if (!reason) return;
    if (this.saver.dirty()) {
      const keep = await ask('Your own strokes are not saved', 'Send them to the author with the rejection?',
        [{ value: null, label: 'Cancel' }, { value: 'no', label: 'Drop them' }, { value: 'yes', label: 'Send them too', primary: true }]);
      if (!keep) return;
      if (keep === 'no') await this.saver.forget();
    }
    if (await this.moveTo('rejected', reason)) { note('Rejected: it goes back to its author.', 'ok'); this.nav.next(); }
  }

  // setAside says why nobody should draw this picture now, and goes on.
  async setAside() {
    if (!this.detail.moves.includes('set aside')) { this.explainReadOnly(); return; }
    const reason = await askText('Set aside', 'Why?', 'Set aside', ['Skipped for now', 'Unsure what is figure', 'Wrong picture', 'No such object']);
    if (!reason) return;
    if (await this.moveTo('set aside', reason)) { note('Set aside.', 'ok'); this.nav.next(); }
  }

  async comment(x, y) {
    const words = await askText('Comment', 'What is here?', 'Pin it');
    if (words) await this.act(['comments'], { x, y, text: words });
  }

  async showRevision(line, revision) {
    await this.compare.show({ kind: 'revision', line, revision });
    this.frame.refresh();
  }
}

function pin(g, view, r, n) {
  const x = view.fromX(r.x + 0.5), y = view.fromY(r.y + 0.5);
  g.beginPath();
  g.moveTo(x, y);
  g.arc(x, y - 16, 11, 0.75 * Math.PI, 0.25 * Math.PI);
  g.closePath();
  g.fillStyle = '#4aa3ff';
  g.fill();
  g.lineWidth = 1.5;
  g.strokeStyle = '#0b1520';
  g.stroke();
  g.fillStyle = '#0b1520';
  g.font = 'bold 12px system-ui, sans-serif';
  g.textAlign = 'center';
  g.fillText(String(n), x, y - 12);
}
