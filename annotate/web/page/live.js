// Live: what others do arrives within seconds, and the picture that is open here is told to the others.
import { post, session } from './api.js';

// every is in milliseconds; a server that is away is asked again at the same pace.
export const every = { ask: 3000 };

// live.open says who else has a picture open, by key; live.key is the one that is open here, '' for none.
// live.learned counts what the model that learns has learned from, null without one; live.learning says that cuts are still to learn.
export const live = { open: {}, key: '', learned: null, learning: false };

let since = -1, timer = 0, turn = Promise.resolve();
/** @type {(entries: object[]) => void | Promise<void>} */
let heard = () => {};

// follow calls f with every answer that brings news, from now on.
export function follow(f) {
  heard = f;
  if (timer === 0) ask();
}

// ask asks at once, after the question that is under way, and then again and again.
export function ask() {
  turn = turn.then(async () => {
    clearTimeout(timer);
    try {
      if (!session.person || session.readOnly) return;
      const got = await post('/api/changes', { since, key: live.key });
      since = got.now;
      const differ = (a, b) => JSON.stringify(a) !== JSON.stringify(b), learned = differ(got.learned ?? null, live.learned);
      const moved = learned || got.learning !== live.learning || differ(got.open, live.open);
      live.open = got.open;
      live.learning = got.learning;
      if (learned) live.learned = got.learned ?? null;
      if (moved || got.entries.length > 0) await heard(got.entries);
    } catch { /* away, or logged out: what a person does next says so */ }
    timer = setTimeout(ask, every.ask);
  });
  return turn;
}
