// Choosing a name, and, where the server asks for it, a token.
import { el } from './dom.js';
import { login, loadSession, session } from './api.js';

// loginForm returns a form that calls done() when the person is logged in.
export function loginForm(done) {
  const fault = el('p', { class: 'fault', role: 'alert' });
  const enter = async (name, token) => {
    try {
      await login(name, token);
      done();
    } catch (e) {
      fault.textContent = e.message;
    }
  };
  if (session.needToken) {
    const hash = new URLSearchParams(location.hash.slice(1));
    const name = el('input', { name: 'name', autocomplete: 'username', 'aria-label': 'name', placeholder: 'name', value: hash.get('name') ?? '' });
    const token = el('input', { name: 'token', type: 'password', autocomplete: 'current-password', 'aria-label': 'token', placeholder: 'token', value: hash.get('token') ?? '' });
    const form = el('form', { class: 'login', on: { submit: (e) => { e.preventDefault(); enter(name.value.trim(), token.value.trim()); } } },
      el('h1', { text: 'hdseg annotate' }),
      el('p', { class: 'muted', text: 'The server printed a link with your name and token when it was first started.' }),
      name, token, el('button', { class: 'primary', text: 'Enter' }), fault);
    if (hash.get('token')) {
      history.replaceState(null, '', location.pathname);
      enter(name.value, token.value);
    }
    return form;
  }
  return el('div', { class: 'login' },
    el('h1', { text: 'hdseg annotate' }),
    el('p', { class: 'muted', text: `${session.dataset}: who are you?` }),
    (session.people ?? []).map((p) => el('button', { type: 'button', class: 'who', dataset: { person: p.name }, on: { click: () => enter(p.name, '') } },
      el('span', { text: p.name }), el('span', { class: 'muted', text: p.role }))),
    fault);
}

/** @type {Promise<void> | null} */
let again = null; // ends with the login that is asked for

// loginAgain asks for a login above the page, so that nothing on it is lost, and resolves when it succeeded.
export function loginAgain() {
  if (again) return again;
  const d = el('dialog', { class: 'dialog relogin' });
  again = new Promise((resolve) => {
    d.addEventListener('cancel', (e) => e.preventDefault());
    loadSession().catch(() => null).then(() => d.append(loginForm(() => { d.close(); d.remove(); again = null; resolve(); })));
  });
  document.body.append(d);
  d.showModal();
  return again;
}
