// What the worker does for the page. A mask is copied when the function is called; the page may change it at once.
const FILE = 'worker.js';

// The only address that this page may make a script of (the server's policy names this rule).
const rule = { createScriptURL: (url) => { if (url !== FILE) throw new TypeError(url); return url; } };
const trusted = globalThis.trustedTypes?.createPolicy('hdseg-worker', rule) ?? rule;

let worker = null, calls = 0;
const waiting = new Map();

function call(px, width, height, draft) {
  if (!worker) {
    worker = new Worker(trusted.createScriptURL(FILE), { type: 'module' });
    worker.onmessage = ({ data: { n, json, fault } }) => {
      const { resolve, reject } = waiting.get(n);
      waiting.delete(n);
      if (fault === undefined) resolve(json);
      else reject(new Error(fault));
    };
    worker.onerror = (e) => {
      for (const { reject } of waiting.values()) reject(new Error(e.message ?? 'the worker could not be started'));
      waiting.clear();
      worker = null;
    };
  }
  return new Promise((resolve, reject) => {
    const copy = px.slice();
    waiting.set(++calls, { resolve, reject });
    worker.postMessage({ n: calls, px: copy, width, height, draft }, [copy.buffer]);
  });
}

// runsJSON resolves to the runs of a mask as the server takes them: the text of an object.
export const runsJSON = ({ px, width, height }) => call(px, width, height);

// keepDraft resolves when a draft { base, at, from } with the mask's runs is on the disk.
export const keepDraft = (id, rest, { px, width, height }) => call(px, width, height, { id, rest });

// joined adds fields to the text of an object.
export const joined = (json, fields) => (Object.keys(fields).length === 0 ? json : json.slice(0, -1) + ',' + JSON.stringify(fields).slice(1));
