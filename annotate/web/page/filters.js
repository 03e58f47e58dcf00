// What of the queue is shown and in which order: kept in the address, so that a view can be sent to somebody and the back key works.
import { session } from './api.js';

const unfiltered = { state: '', tier: '', split: '', synset: '', author: '', assignee: '', text: '', mine: false, remarks: false, quality: [0, 1], iou: [0, 1], sort: '' };
export const filters = { ...unfiltered };

export const clearFilters = () => { Object.assign(filters, unfiltered); };

const text = (v) => (Array.isArray(v) ? v.join('-') : String(v));

// query writes the filters as the end of an address: ?state=edited&quality=0-0.5, or nothing.
export function query() {
  const q = new URLSearchParams();
  for (const [name, all] of Object.entries(unfiltered)) if (text(filters[name]) !== text(all)) q.set(name, text(filters[name]));
  return q.size > 0 ? `?${q}` : '';
}

// readQuery takes the filters from an address that has some.
export function readQuery(address) {
  const [, end] = address.split('?');
  if (end === undefined) return;
  const q = new URLSearchParams(end);
  for (const [name, all] of Object.entries(unfiltered)) {
    const v = q.get(name);
    if (v === null) filters[name] = all;
    else if (typeof all === 'boolean') filters[name] = v === 'true';
    else if (typeof all === 'string') filters[name] = v;
    else filters[name] = all.map((bound, i) => { const n = parseFloat(v.split('-')[i]); return n >= 0 && n <= 1 ? n : bound; });
  }
}

// within tells whether a value lies in a range; without a value it does where the range is everything.
/** @type {(v: number | undefined, range: number[]) => boolean} */
const within = (v, [least, most]) => (least <= 0 && most >= 1) || (v !== undefined && v >= least && v <= most);

// The orders beside the server's own: by these, the lowest first.
export const orders = {
  'model disagrees': (e) => -(e.differs ?? -1), id: (e) => e.id, author: (e) => e.author || '\uffff', state: (e) => e.state, remarks: (e) => -e.comments, 'predicted IoU': (e) => e.quality || 2,
};

// filtered returns the entries that are shown, in their order.
export function filtered(entries) {
  const f = filters, words = f.text.toLowerCase(), by = orders[f.sort];
  const out = entries.filter((e) => (f.state === '' || e.state === f.state || (f.state === 'adjudicate' && e.ready && e.state !== 'accepted'))
    && (f.tier === '' || e.tier === f.tier) && (f.split === '' || e.split === f.split) && (f.synset === '' || e.synset === f.synset)
    && (f.author === '' || e.author === f.author) && (f.assignee === '' || (f.assignee === '-' ? '' : f.assignee) === e.assignee) && (!f.remarks || e.comments > 0)
    && within(e.quality || undefined, f.quality) && within(e.iou, f.iou)
    && (!f.mine || e.author === session.person.name) && (words === '' || e.id.toLowerCase().includes(words)));
  return by ? out.sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0)) : out;
}
