// Saving: by itself a little after each change, at once when asked, and again until the server has it. Every save names the
// revision that it began with.
import { ApiError, get, headBy, item, put, session } from './api.js';
import { clock, debounce } from './dom.js';
import { ask } from './dialog.js';
import { loginAgain } from './login.js';
import { joined, keepDraft, runsJSON } from './background.js';
import { decodeRuns } from './mask.js';
import { merged } from './ops.js';
import * as drafts from './drafts.js';

// timing is in milliseconds. A test sets idle and most to Infinity and saves when it means to.
export const timing = { idle: 2500, most: 20000, draft: 120, retry: 4000 };

export const UNANSWERED = 'Restore or discard the unsaved strokes first.';

const draftId = (editor) => [session.campaign, session.person.name, editor.key, editor.detail.image].join('\n');

// findDraft returns what was kept of a picture in this browser, null for nothing.
export const findDraft = (editor) => drafts.find(draftId(editor)).then((d) => d ?? null, () => null);

export class Saver {
  // editor has key, mask, and is told of what happens by saved(line), status(text, kind) and conflict(data).
  constructor(editor, line, from) {
    this.editor = editor;
    this.base = line.head;
    this.from = from;
    this.savedVersion = editor.mask.version;
    this.id = draftId(editor);
    this.flight = null;
    this.auto = false; // whether the last save was by itself
    this.since = 0;
    this.stopped = false;
    this.timing = timing;
    this.autosave = debounce(() => { if (editor.mask.open) this.autosave(); else if (editor.mayEdit()) this.save().catch(() => {}); }, () => timing.idle);
    this.draft = debounce(() => { if (editor.mask.open) this.draft(); else this.keepDraft(); }, () => timing.draft);
    this.hide = () => this.flushDraft();
    this.unload = (e) => { if (this.dirty()) { this.flushDraft(); e.preventDefault(); } };
    addEventListener('pagehide', this.hide);
    addEventListener('beforeunload', this.unload);
  }

  dirty() { return this.editor.mask.version !== this.savedVersion; }

  // changed is called after every finished change.
  changed() {
    if (!this.dirty()) return;
    this.draft();
    this.editor.status('not saved yet', 'dirty');
    if (this.since === 0) this.since = Date.now();
    if (Date.now() - this.since > timing.most) this.autosave.now();
    else this.autosave();
  }

  // keepDraft keeps what is not saved in this browser; a page that goes away at once cannot wait for the worker.
  async keepDraft(atOnce = false) {
    const { mask } = this.editor;
    if (!this.dirty()) return;
    const rest = { base: this.base, at: new Date().toISOString(), from: this.from };
    try {
      if (atOnce) await drafts.keep(this.id, { ...rest, runs: mask.runs() });
      else await keepDraft(this.id, rest, mask);
      if (!this.dirty()) await drafts.drop(this.id); // saved meanwhile
    } catch {
      this.editor.status('this browser keeps no drafts: save often', 'fault');
    }
  }

  flushDraft() {
    if (!this.draft.due()) return;
    this.draft.cancel();
    this.keepDraft(true);
  }

  dropDraft() { return drafts.drop(this.id).catch(() => {}); }

  // save resolves when the mask as it is now is on the server's disk; it rejects if it is not.
  // asked tells whether a person asked for it: what the page saves by itself in between is no entry of the history.
  async save(explicit = false, asked = explicit) {
    while (this.flight) await this.flight.catch(() => {});
    if (this.editor.draft) throw new ApiError(422, { error: UNANSWERED });
    if (!this.dirty() && !(explicit && (this.base === 0 || (asked && this.auto)))) return;
    this.flight = this.send(explicit, asked);
    try {
      await this.flight;
    } finally {
      this.flight = null;
    }
  }

  async send(explicit, asked) {
    const { editor } = this, { mask } = editor;
    this.autosave.cancel();
    const body = { base: this.base, save: crypto.randomUUID(), auto: !asked };
    if (this.base === 0 && this.from) body.from = this.from;
    if (mask.isEmpty()) {
      if (!explicit) { editor.status('an empty mask is saved only when asked', 'dirty'); throw new ApiError(422, { error: 'empty' }); }
      const yes = await ask('Save an empty mask?', 'Nothing is marked as figure. Save it only if the picture really shows none.',
        [{ value: false, label: 'Cancel' }, { value: true, label: 'It is empty', primary: true }]);
      if (!yes) throw new ApiError(422, { error: 'not saved: the mask is empty' });
      body.empty = true;
    }
    const version = mask.version;
    editor.status('saving', 'busy');
    body.tools = mask.tools;
    mask.tools = {}; // what is done from here on belongs to the next save
    try {
      await this.deliver(joined(await runsJSON(mask), body), version);
      this.auto = body.auto;
    } catch (e) {
      for (const [tool, n] of Object.entries(body.tools)) mask.tools[tool] = (mask.tools[tool] ?? 0) + n;
      throw e;
    }
  }

  // deliver sends a save until it is answered.
  async deliver(text, version) {
    const { editor } = this;
    for (;;) {
      try {
        const line = await put(item(editor.key, 'mask'), text);
        this.base = line.head;
        this.savedVersion = version;
        this.since = 0;
        if (!this.dirty()) { this.draft.cancel(); this.dropDraft(); }
        editor.status(`saved ${clock(new Date())}`, 'ok');
        editor.saved(line);
        return;
      } catch (e) {
        if (e.status === 409) { await this.conflict(e.data); return; }
        if (e.status === 401) { await loginAgain(); continue; }
        if (e.status !== 0 && e.status < 500) { editor.status(`not saved: ${e.message}`, 'fault'); throw e; }
        editor.status(e.status === 0 ? 'server away: kept in this browser, trying again' : `not saved: ${e.message}; kept in this browser, trying again`, 'fault');
        if (!this.stopped) await new Promise((r) => { this.retry = r; setTimeout(r, timing.retry); });
        if (this.stopped) throw e;
      }
    }
  }

  // conflict asks whose mask goes on. Both are on the server already.
  async conflict({ line, kept }) {
    const { editor } = this;
    editor.status('conflict', 'fault');
    const choice = await ask('This mask was saved meanwhile',
      `${headBy(line)} saved revision ${line.head} while you worked on ${this.base ? `revision ${this.base}` : 'the proposal'}. Yours is kept as revision ${kept}. Which one goes on?`,
      [{ value: 'merge', label: 'Merge' }, { value: 'theirs', label: `Take ${headBy(line)}'s` }, { value: 'mine', label: 'Keep mine', primary: true }]);
    if (choice === 'mine') {
      await this.goOn(line);
      await this.send(true, true);
    } else if (choice === 'theirs') {
      this.savedVersion = editor.mask.version;
      await this.dropDraft();
      await editor.reload();
    } else {
      if (choice === 'merge') await this.merge(line);
      else editor.status('not saved: the next save asks again', 'fault');
      this.autosave.cancel();
      throw new ApiError(409, { error: 'conflict' });
    }
  }

  // merge takes what only they changed, keeps what only this page changed, and shows what is left as a difference, of which a
  // click takes a region. The next save is meant: it names their revision as its base.
  async merge(line) {
    const { editor } = this, { mask } = editor;
    const began = this.base > 0 ? ['lines', line.line, this.base] : this.from ? ['tiers', this.from] : null;
    const [theirs, base] = await Promise.all([get(item(editor.key, 'lines', line.line, line.head)), began && get(item(editor.key, ...began))]);
    mask.replace(merged(mask.px, decodeRuns(theirs), base ? decodeRuns(base) : new Uint8Array(mask.px.length)), 'merge');
    await this.goOn(line);
    await editor.compare.show({ kind: 'revision', line: line.line, revision: line.head, label: `${headBy(line)}'s` });
    editor.setTool('take');
    editor.status('merged, not saved: click regions to take them, then save', 'dirty');
  }

  // goOn makes their revision the base of the next save; a draft is taken over.
  async goOn(line) {
    const { editor } = this;
    this.base = line.head;
    editor.took(await get(item(editor.key)));
    if (editor.detail.line.state === 'edited' && editor.detail.readOnly !== '') await editor.act(['state'], { to: 'edited', base: line.head });
  }

  // leave saves once more, and resolves when the server has all or does not take it: then the draft stays.
  async leave() {
    this.stopped = true;
    this.retry?.();
    try {
      while (this.dirty() && this.editor.mayEdit()) await this.save(false, true);
      if (this.dirty()) await this.keepDraft(); // restored on what is another's now
    } catch {
      await this.keepDraft();
    }
  }

  // forget takes the changes since the last save for not made.
  async forget() {
    this.savedVersion = this.editor.mask.version;
    this.autosave.cancel();
    this.draft.cancel();
    await this.dropDraft();
  }

  close() {
    this.stopped = true;
    this.autosave.cancel();
    this.flushDraft();
    removeEventListener('pagehide', this.hide);
    removeEventListener('beforeunload', this.unload);
  }
}
