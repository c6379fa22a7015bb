// The front page: search as one types, filters, sorting, picks. The runs come from runs.js, which
// is loaded when it is first needed. The state is kept in the address.
(() => {
'use strict';
const form = document.querySelector('form.filters');
const table = document.querySelector('table.runs');
if (!form || !table) return;

const MARKS = ['Draft', 'Incomplete', 'Not ranked'];
const TEXTS = ['run', 'hardware'];
const { runs: source, compare } = form.dataset;
const root = source.replace(/runs\.js.*/, '');
const search = form.elements.q;
const selects = [...form.querySelectorAll('select')];
const status = form.querySelector('[role=status]');
const clear = form.querySelector('button');
const heads = [...table.tHead.rows[0].cells];
const keys = heads.map((head) => head.dataset.key);
const built = table.tBodies[0];
const caption = table.caption.firstElementChild;
const { textContent: builtCaption } = caption;
const pager = document.querySelector('.pager');
let sort, dir, data, loading, waiting, rest;
let picks = [];
let found = [];
let shown = 0;

const el = (name, attributes, ...children) => {
  const space = /svg|path/.test(name) ? 'http://www.w3.org/2000/svg' : document.body.namespaceURI;
  const node = document.createElementNS(space, name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  node.append(...children);
  return node;
};
const decimals = (n) => new Intl.NumberFormat('en', { minimumFractionDigits: n, maximumFractionDigits: n });
const [whole, tenths] = [decimals(0), decimals(1)];
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

const load = () => {
  loading ??= new Promise((done, failed) => {
    (window.speedbook ??= {}).runs = (raw) => done((data = prepare(raw)));
    const script = el('script', { src: source });
    script.addEventListener('error', failed);
    document.head.append(script);
  }).catch(() => {
    loading = null;
    status.textContent = 'The list of runs could not be loaded.';
  });
  return loading;
};

function prepare(raw) {
  const lists = (key) => raw[key].i.map((at) => (at === null ? [] : [].concat(at)));
  const read = (key) => lists(key).map((of) => of.map((at) => raw[key].d[at]).join(' '));
  const [run, engine, version, quantization, count] = ['title', 'engine', 'version', 'quantization', 'gpus'].map(read);
  const hardware = read('gpu').map((gpu, at) => (count[at] ? `${count[at]} × ${gpu || 'GPU'}` : gpu) || null);
  const lines = engine.map((name, at) => [`${name} ${version[at]}`.trim(), quantization[at]].filter(Boolean).join(' · '));
  const texts = [raw.slug, run, hardware, lines, ...['model', 'speculation', 'tag', 'author'].map(read)];
  let time = 0;
  return {
    ...raw,
    run,
    hardware,
    lines,
    places: selects.map(({ name }) => lists(name)),
    per_gpu: raw.total.map((total, at) => (total && count[at] ? total / count[at] : null)),
    measured: raw.measured.map((less) => less === null ? null : (time += less)),
    sizes: raw.matrix.map((cells) => cells && cells.replace(/[o. ]/g, '').length),
    texts: run.map((_, at) => texts.map((of) => of[at]).join(' ').toLowerCase()),
    sets: raw.flags.sets.map((set) => set.map((at) => raw.flags.d[at]).join(' ').toLowerCase()),
    orders: {},
  };
}

// The runs in the order of a column: equal ones newest first, absent ones last.
function order() {
  const values = data[sort === 'matrix' ? 'sizes' : sort];
  const by = TEXTS.includes(sort) ? new Intl.Collator('en', { numeric: true }).compare : (a, b) => a - b;
  const sign = dir === 'asc' ? 1 : -1;
  return (data.orders[sort + dir] ??= data.slug.map((_, at) => at).sort((a, b) => {
    const [x, y] = [values[a], values[b]];
    return (x === null) - (y === null) || (x !== null && sign * by(x, y)) || a - b;
  }));
}

// The runs that all words and filters leave; the options say how many runs each would leave.
function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const flagged = words.map((word) => data.sets.map((set) => set.includes(word)));
  const facets = selects.map(({ name, value }, at) => ({
    places: data.places[at],
    wanted: data[name].d.indexOf(value),
    counts: data[name].d.map(() => 0),
  }));
  const left = [];
  run: for (const at of order()) {
    for (let w = 0; w < words.length; w++) {
      if (!data.texts[at].includes(words[w]) && !flagged[w][data.flags.i[at]]) continue run;
    }
    let against = null;
    for (const facet of facets) {
      if (facet.wanted < 0 || facet.places[at].includes(facet.wanted)) continue;
      if (against) continue run;
      against = facet;
    }
    if (!against) left.push(at);
    for (const { places, counts } of against ? [against] : facets) for (const place of places[at]) counts[place]++;
  }
  facets.forEach(({ counts }, f) => counts.forEach((n, at) => {
    const option = selects[f].options[at + 1];
    const label = `${option.value} (${whole.format(n)})`;
    if (option.textContent !== label) option.textContent = label;
    option.disabled = !n && !option.selected;
  }));
  return left;
}

function picture(at) {
  if (!data.matrix[at]) return '—';
  const paths = {};
  const rows = data.matrix[at].split(' ');
  rows.forEach((row, y) => [...row].forEach((mark, x) => {
    if (mark === '.') return;
    const queued = 'abcdefg'.indexOf(mark) + 1;
    const name = mark === 'o' ? 'none' : `q${queued || mark}`;
    const half = mark === 'o' ? '.5' : '';
    const form = half ? 'h7v5h-7z' : queued ? 'h5l3 3v3h-8z' : 'h8v6h-8z';
    paths[name] = `${paths[name] ?? ''}M${9 * x}${half} ${7 * y}${half}${form}`;
  }));
  const [width, height] = [9 * rows[0].length - 1, 7 * rows.length - 1];
  const shape = { class: 'thumb', role: 'img', 'aria-label': data.words[at], width, height, viewBox: `0 0 ${width} ${height}` };
  return el('svg', shape, ...Object.keys(paths).map((name) => el('path', { class: name, d: paths[name] })));
}

const shownAs = (key, at) => {
  const value = data[key][at];
  if (data.shown[key][at]) return data.shown[key][at];
  if (value === null) return key === 'measured' ? 'not given' : '—';
  return key === 'measured' ? date.format(value * 1000) : (key === 'most' || key === 'prefill' ? whole : tenths).format(value);
};

function row(at) {
  return el('tr', {}, ...keys.map((key) => {
    if (key === 'run') {
      const path = encodeURIComponent(data.slug[at]).replaceAll('%2F', '/');
      const head = el('th', { scope: 'row', dir: 'auto' }, el('a', { href: `${root}runs/${path}${data.end}` }, data.run[at]));
      if (data.lines[at]) head.append(' ', el('small', {}, data.lines[at]));
      MARKS.forEach((mark, bit) => data.marks[at] >> bit & 1 && head.append(' ', el('small', { class: 'mark' }, mark)));
      if (compare) head.append(box(data.slug[at], data.run[at]));
      return head;
    }
    if (key === 'hardware') return el('td', { dir: 'auto' }, data.hardware[at] ?? '—');
    if (key === 'matrix') return el('td', {}, picture(at));
    const cell = el('td', { class: 'n' }, shownAs(key, at));
    const notes = data[`${key}_note`];
    const note = notes?.d[notes.i[at]];
    if (note) cell.append(' ', el('small', {}, note));
    return cell;
  }));
}

function append(body, n) {
  const rows = found.slice(shown, shown + n).map(row);
  body.append(...rows);
  shown += rows.length;
  more.hidden = shown >= found.length || shown % 100 > 0;
  more.textContent = `Show ${Math.min(100, found.length - shown)} more`;
  return rows[0];
}

const narrowed = () => search.value.trim() !== '' || selects.some((select) => select.value);
const sorted = () => sort !== 'measured' || dir !== 'desc';

function update() {
  const active = narrowed() || sorted();
  for (const head of heads) {
    if (head.dataset.key === sort) head.setAttribute('aria-sort', `${dir}ending`);
    else head.removeAttribute('aria-sort');
  }
  for (const select of selects) select.classList.toggle('on', select.value);
  clear.hidden = !active;
  if (!data) return active && load().then(() => data && update());
  found = filter();
  shown = 0;
  more.hidden = true;
  const body = active ? el('tbody') : built;
  clearTimeout(rest);
  table.ariaBusy = active;
  // What is on the screen comes first.
  if (active) {
    append(body, 20);
    rest = setTimeout(() => {
      append(body, 80);
      table.ariaBusy = false;
      mark();
    }, 80);
  }
  if (!found.length) body.append(el('tr', {}, el('td', { class: 'none-found', colspan: keys.length }, 'No run has all of this.')));
  table.tBodies[0].replaceWith(body);
  caption.textContent = active ? `By ${heads[keys.indexOf(sort)].textContent}, ${dir}ending.` : builtCaption;
  if (pager) pager.hidden = active;
  status.textContent = `${narrowed() ? `${whole.format(found.length)} of ` : ''}${whole.format(data.n)} runs`;
  mark();
}

function write() {
  clearTimeout(waiting);
  const query = new URLSearchParams();
  if (search.value.trim()) query.set('q', search.value.trim());
  for (const { name, value } of selects) if (value) query.set(name, value);
  if (sorted()) query.set('sort', sort), query.set('dir', dir);
  for (const slug of picks) query.append('pick', slug);
  try {
    history.replaceState(null, '', (`${query}` ? `?${query}` : location.pathname) + location.hash);
  } catch {} // Too often, or not allowed here: the page works without.
}

function read() {
  const query = new URLSearchParams(location.search);
  search.value = query.get('q') ?? '';
  for (const select of selects) {
    select.value = query.get(select.name) ?? '';
    if (select.selectedIndex < 0) select.value = '';
  }
  sort = keys.includes(query.get('sort')) ? query.get('sort') : 'measured';
  dir = query.get('dir') === 'asc' ? 'asc' : 'desc';
  picks = compare ? [...new Set(query.getAll('pick'))] : [];
  update();
  mark();
}

const button = (text, attributes, act) => {
  const made = el('button', { type: 'button', ...attributes }, ...text);
  made.addEventListener('click', act);
  return made;
};
const more = button([], { class: 'more', hidden: '' }, () => append(table.tBodies[0], 100).querySelector('a').focus());
table.parentElement.after(more);

const picked = el('span', { role: 'status' });
const go = el('a', { class: 'go' }, 'Compare');
const bar = el('div', { class: 'picked', role: 'region', 'aria-label': 'Picked runs', hidden: '' }, picked, go, button(['Clear'], {}, () => {
  pick([]);
  table.querySelector('.pick input')?.focus();
}));

function pick(slugs) {
  picks = slugs;
  mark();
  write();
}

function box(slug, title) {
  return el('label', { class: 'pick' }, el('input', { type: 'checkbox', value: slug, 'aria-label': `Pick ${title} to compare` }));
}

function mark() {
  for (const input of table.querySelectorAll('.pick input')) input.checked = picks.includes(input.value);
  bar.hidden = !picks.length;
  picked.textContent = picks.length > 1 ? `${picks.length} runs picked` : '1 run picked. Pick another to compare them.';
  go.hidden = picks.length < 2;
  go.href = `${compare}?runs=${picks.map(encodeURIComponent)}`;
}

if (compare) {
  form.closest('section').append(bar);
  table.classList.add('picking');
  for (const link of built.querySelectorAll('th a')) {
    const path = link.getAttribute('href').slice(`${root}runs/`.length).replace(/\/(index\.html)?$/, '');
    link.parentElement.append(box(decodeURIComponent(path), link.textContent));
  }
  table.addEventListener('change', ({ target: { value, checked } }) => {
    pick(picks.filter((slug) => slug !== value).concat(checked ? value : []));
  });
  document.querySelector('.summary').append(' Pick two or more to compare them.');
}

for (const head of heads) {
  head.append(button(head.childNodes, {}, () => {
    const key = head.dataset.key;
    dir = sort === key ? (dir === 'asc' ? 'desc' : 'asc') : TEXTS.includes(key) ? 'asc' : 'desc';
    sort = key;
    update();
    write();
  }));
}
const on = (node, event, act) => node.addEventListener(event, act);
on(form, 'submit', (event) => event.preventDefault());
on(form, 'focusin', load);
on(form, 'change', write);
on(form, 'input', () => {
  update();
  clearTimeout(waiting);
  waiting = setTimeout(write, 200);
});
on(clear, 'click', () => {
  search.value = '';
  for (const select of selects) select.value = '';
  [sort, dir] = ['measured', 'desc'];
  update();
  write();
  search.focus();
});
on(window, 'popstate', read);
form.hidden = false;
read();
})();
