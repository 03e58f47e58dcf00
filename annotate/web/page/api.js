// Requests to the server that sent this page.

// session is what the server said of the campaign, the person and the keys.
export const session = { person: null, csrf: '', keys: { queue: {}, editor: {} }, people: [], needToken: false, cells: [], selfReview: false, readOnly: false };

// An ApiError is a refusal; status 0 means that the server was not reached.
export class ApiError extends Error {
  constructor(status, data) {
    super(data?.error ?? 'the server cannot be reached');
    this.status = status;
    this.data = data ?? {};
  }
}

/**
 * @typedef {{ width: number, height: number, runs: number[] }} Runs a value and how many pixels have it, again and again
 * @typedef {{ revision: number, base: number, aside: boolean, by: string, at: string, figure: number, void: number }} Revision
 * @typedef {object} Line of revisions
 * @property {string} line
 * @property {'proposed' | 'edited' | 'submitted' | 'accepted' | 'rejected' | 'set aside'} state
 * @property {number} head
 * @property {string} author
 * @property {string} owner
 * @property {string} work
 * @property {string} [reason]
 * @property {Revision[]} revisions
 * @typedef {object} Detail of a picture
 * @property {number} version
 * @property {string} id
 * @property {string} image
 * @property {number} width
 * @property {number} height
 * @property {string} split
 * @property {string} tier
 * @property {string} synset
 * @property {boolean} blind
 * @property {string} assignee
 * @property {number} [iou]
 * @property {Line} line
 * @property {Line[]} others
 * @property {string[]} tiers
 * @property {string} proposal
 * @property {{ comment: number, x: number, y: number, text: string, by: string, at: string, resolved?: string, yours: boolean }[]} remarks
 * @property {{ kind: string, by: string, at: string, line: string, revision?: number, to?: string, reason?: string, text?: string, author?: string, comment?: number }[]} events
 * @property {{ xMin: number, yMin: number, xMax: number, yMax: number }[]} boxes
 * @property {object[]} [masks]
 * @property {string} readOnly
 * @property {string[]} moves
 */

// headBy names who saved the newest revision of a line.
export const headBy = (line) => line.revisions.find((r) => r.revision === line.head)?.by ?? line.author;

// send's body is an object, or the text of one.
async function send(method, path, body, keepalive = false) {
  /** @type {Record<string, string>} */
  const headers = {};
  if (method !== 'GET') headers['X-CSRF-Token'] = session.csrf;
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  let response;
  try {
    response = await fetch(path, { method, headers, keepalive, body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body) });
  } catch {
    throw new ApiError(0, null);
  }
  if (!response.ok) {
    let data = null;
    try { data = await response.json(); } catch { /* not ours: a proxy's */ }
    throw new ApiError(response.status, data ?? { error: `the server answered ${response.status}` });
  }
  return response;
}

export const get = async (path) => (await send('GET', path)).json();
export const getBytes = async (path) => new Uint8Array(await (await send('GET', path)).arrayBuffer());
export const getBlob = async (path) => (await send('GET', path)).blob();
// post's request outlives the page with keepalive.
export const post = async (path, body, keepalive = false) => (await send('POST', path, body ?? {}, keepalive)).json();
export const put = async (path, body) => (await send('PUT', path, body)).json();

// item is the address of what belongs to an item.
export const item = (key, ...rest) => ['/api/items', key, ...rest].map((p, i) => (i === 0 ? p : encodeURIComponent(p))).join('/');

export async function loadSession() {
  session.person = null;
  Object.assign(session, await get('/api/session'));
  return session;
}

export async function login(name, token) {
  await post('/api/login', { name, token });
  return loadSession();
}
