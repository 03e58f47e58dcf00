// What is not saved yet is kept in this browser, so that neither a crash nor a server that is away loses a stroke.

const STORE = 'drafts';
let opening = null;

function open() {
  opening ??= new Promise((resolve, reject) => {
    const r = indexedDB.open('hdseg-annotate', 1);
    r.onupgradeneeded = () => r.result.createObjectStore(STORE);
    r.onsuccess = () => resolve(r.result);
    r.onerror = () => reject(r.error);
  });
  return opening;
}

async function act(mode, f) {
  const db = await open();
  return new Promise((resolve, reject) => {
    const t = db.transaction(STORE, mode, { durability: 'strict' }); // on the disk when it completes
    const r = f(t.objectStore(STORE));
    t.oncomplete = () => resolve(r.result);
    t.onabort = t.onerror = () => reject(t.error);
  });
}

// A draft is { base, head, runs, at, from, tools }. The id names campaign, person and item.
export const keep = (id, draft) => act('readwrite', (s) => s.put(draft, id));
export const find = (id) => act('readonly', (s) => s.get(id));
export const drop = (id) => act('readwrite', (s) => s.delete(id));
