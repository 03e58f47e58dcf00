// Elements without markup: text from people is only ever text.

const SVG = 'http://www.w3.org/2000/svg';

// el makes an element. Properties: class, text, on (an object of listeners), dataset, and any attribute; false and null
// leave an attribute out. Children are elements, strings, or null.
export function el(tag, props = {}, ...children) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (v === false || v === null || v === undefined) continue;
    if (k === 'class') e.className = v;
    else if (k === 'text') e.textContent = v;
    else if (k === 'on') for (const [type, f] of Object.entries(v)) e.addEventListener(type, f);
    else if (k === 'dataset') Object.assign(e.dataset, v);
    else e.setAttribute(k, v === true ? '' : v);
  }
  e.append(...children.flat().filter((c) => c !== null && c !== undefined));
  return e;
}

// icon draws one of the paths below on a 24 x 24 grid.
export function icon(name) {
  const s = document.createElementNS(SVG, 'svg');
  s.setAttribute('viewBox', '0 0 24 24');
  s.setAttribute('aria-hidden', 'true');
  const p = document.createElementNS(SVG, 'path');
  p.setAttribute('d', icons[name] ?? icons.dot);
  s.append(p);
  return s;
}

const icons = {
  dot: 'M12 11v2',
  superpixel: 'M4 5l6-1 3 4-2 5-7 0zM13 8l7-3v8l-5 1-4-1M11 13l4 1 1 6H7l-3-7',
  brush: 'M20 4c-5 2-9 6-11 9l2 2c3-2 7-6 9-11zM8 14c-3 0-3 3-5 5 3 1 7 0 7-3',
  eraser: 'M14 5l5 5-9 9H6l-3-3zM10 9l5 5M10 19h10',
  polygon: 'M12 4l8 6-3 9H7L4 10zM12 3v2M19 10h2M3 10h2M6 19h2M16 19h2',
  boxes: 'M5 6h14v12H5zM3 4h4v4H3zM17 4h4v4h-4zM3 16h4v4H3zM17 16h4v4h-4z',
  box: 'M4 8V4h4M16 4h4v4M20 16v4h-4M8 20H4v-4M9 9h6v6H9z',
  scribbleFigure: 'M3 16c3-8 6-8 6-3s3 5 5 0 3-5 4-3M17 17h6M20 14v6',
  scribbleGround: 'M3 16c3-8 6-8 6-3s3 5 5 0 3-5 4-3M17 18h6',
  void: 'M12 4a8 8 0 100 16 8 8 0 000-16M6.500 6.500l11 11',
  take: 'M4 4h10v10H4zM10 10h10v10H10z',
  comment: 'M4 5h16v11h-9l-4 4v-4H4zM8 9h8M8 12h5',
  move: 'M12 3v18M3 12h18M12 3l-2 2M12 3l2 2M12 21l-2-2M12 21l2-2M3 12l2-2M3 12l2 2M21 12l-2-2M21 12l-2 2',
  undo: 'M9 7L4 11l5 4M4 11h9a6 6 0 010 9h-3',
  redo: 'M15 7l5 4-5 4M20 11h-9a6 6 0 000 9h3',
  grid: 'M5 5h5v5H5zM14 5h5v5h-5zM5 14h5v5H5zM14 14h5v5h-5z',
  previous: 'M15 6l-6 6 6 6',
  next: 'M9 6l6 6-6 6',
  help: 'M9 9a3 3 0 116 1c-1 1.500-3 2-3 4M12 17v1',
  fit: 'M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5',
  eye: 'M2 12c3-5 7-7 10-7s7 2 10 7c-3 5-7 7-10 7s-7-2-10-7M12 9a3 3 0 100 6 3 3 0 000-6',
};

// debounce calls f when nothing called it for ms() milliseconds, Infinity for never; now() calls it at once if it is due.
export function debounce(f, ms) {
  let timer = 0;
  const later = () => {
    clearTimeout(timer);
    timer = setTimeout(() => { timer = 0; f(); }, Math.min(ms(), 2 ** 31 - 1));
  };
  later.due = () => timer !== 0;
  later.now = () => {
    if (timer === 0) return;
    clearTimeout(timer);
    timer = 0;
    f();
  };
  later.cancel = () => { clearTimeout(timer); timer = 0; };
  return later;
}

// clock formats a time of today as 14:02, another one with its date.
export function clock(time) {
  const t = new Date(time);
  const hm = t.toTimeString().slice(0, 5);
  return t.toDateString() === new Date().toDateString() ? hm : t.toISOString().slice(0, 10) + ' ' + hm;
}
