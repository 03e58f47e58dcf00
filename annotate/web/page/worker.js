// Off the page's own thread: masks of many pixels are written as runs, and drafts kept, without holding up the pointer.
import { encodeRuns } from './mask.js';
import { keep } from './drafts.js';

onmessage = async ({ data: { n, px, width, height, draft } }) => {
  try {
    const runs = encodeRuns(px, width, height);
    if (draft) await keep(draft.id, { ...draft.rest, runs });
    postMessage({ n, json: draft ? '' : JSON.stringify(runs) });
  } catch (e) {
    postMessage({ n, fault: String(e) });
  }
};
