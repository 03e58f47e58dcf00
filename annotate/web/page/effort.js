// Effort: how long a person works on a picture and how many clicks that takes, by tool.
import { item, session, post } from './api.js';

// PAUSE is how long, in milliseconds, nothing may happen until the time does not count.
export const PAUSE = 60_000;

export class Effort {
  // now is the clock, in milliseconds.
  constructor(editor, now = () => performance.now()) {
    this.editor = editor;
    this.now = now;
    this.last = now();
    /** @type {Record<string, number>} */
    this.seconds = {};
    /** @type {Record<string, number>} */
    this.clicks = {};
    this.act = () => this.tick();
    this.hide = () => this.send(true);
    if (session.readOnly) return;
    for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel']) addEventListener(type, this.act, { passive: true, capture: true });
    addEventListener('pagehide', this.hide);
  }

  // tick counts the time since something happened last for the tool in hand.
  tick() {
    const at = this.now(), gap = at - this.last, tool = this.editor.tool?.name;
    this.last = at;
    if (tool && gap <= PAUSE) this.seconds[tool] = (this.seconds[tool] ?? 0) + gap / 1000;
  }

  // click counts a click or stroke of a tool, or of a button that changes the mask.
  click(tool) { this.clicks[tool] = (this.clicks[tool] ?? 0) + 1; }

  // send tells the server; what it does not take is told next time.
  async send(leaving = false) {
    if (session.readOnly || !this.editor.saver) return;
    this.tick();
    const { seconds, clicks } = this;
    this.seconds = {};
    this.clicks = {};
    if (Object.values(seconds).reduce((a, b) => a + b, 0) < 1 && Object.keys(clicks).length === 0) return; // passed by
    const rounded = Object.fromEntries(Object.entries(seconds).map(([tool, s]) => [tool, Math.round(s * 100) / 100]));
    try {
      await post(item(this.editor.key, 'work'), { revision: this.editor.saver.base, seconds: rounded, clicks }, leaving);
    } catch {
      for (const [tool, s] of Object.entries(seconds)) this.seconds[tool] = (this.seconds[tool] ?? 0) + s;
      for (const [tool, n] of Object.entries(clicks)) this.clicks[tool] = (this.clicks[tool] ?? 0) + n;
    }
  }

  close() {
    for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel']) removeEventListener(type, this.act, { capture: true });
    removeEventListener('pagehide', this.hide);
  }
}
