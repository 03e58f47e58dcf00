// What a worker does for the page. A mask is copied when the function is called; the page may change it at once. Where
// there is no worker the page does it itself.
import { encodeRuns } from './mask.js';
import { keep } from './drafts.js';

const FILE = 'worker.js';

// The only address that this page may make a script of (the server's policy names this rule).
const rule = { createScriptURL: (url) => { if (url !== FILE) throw new TypeError(url); return url; } };

let worker = start(), calls = 0;
const waiting = new Map();

// start fetches the worker's script with the page: later the server may be away.
function start() {
  try {
    const trusted = globalThis.trustedTypes?.createPolicy('hdseg-worker', rule) ?? rule;
    const w = new Worker(trusted.createScriptURL(FILE), { type: 'module' });
    w.onmessage = ({ data: { n, json, fault } }) => {
      const { resolve, reject } = waiting.get(n);
      waiting.delete(n);
      if (fault === undefined) resolve(json);
      else reject(new Error(fault));
    };
    w.onerror = (e) => {
      worker = null;
      for (const { reject } of waiting.values()) reject(new Error(e.message ?? 'there is no worker'));
      waiting.clear();
    };
    return w;
  } catch {
    return null;
  }
}

function call(px, width, height, draft) {
  return new Promise((resolve, reject) => {
    const copy = px.slice();
    waiting.set(++calls, { resolve, reject });
    worker.postMessage({ n: calls, px: copy, width, height, draft }, [copy.buffer]);
  });
}

// runsJSON resolves to the runs of a mask as the server takes them: the text of an object.
export async function runsJSON(mask) {
  try {
    if (worker) return await call(mask.px, mask.width, mask.height);
  } catch { /* the page itself, then */ }
  return JSON.stringify(encodeRuns(mask.px, mask.width, mask.height));
}

// keepDraft resolves when a draft { base, at, from } with the mask's runs is on the disk.
export async function keepDraft(id, rest, mask) {
  try {
    if (worker) { await call(mask.px, mask.width, mask.height, { id, rest }); return; }
  } catch { /* the page itself, then */ }
  await keep(id, { ...rest, runs: encodeRuns(mask.px, mask.width, mask.height) });
}

// joined adds fields to the text of an object.
export const joined = (json, fields) => (Object.keys(fields).length === 0 ? json : json.slice(0, -1) + ',' + JSON.stringify(fields).slice(1));
