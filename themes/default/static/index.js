// The front page: search as one types, filters, sorting, picks. The runs come from runs.js, which
// is loaded when it is first needed. The state is kept in the address.
(() => {
  'use strict';
  const form = document.querySelector('form.filters');
  const table = document.querySelector('table.runs');
  if (!form || !table) return;

  const STEP = 100;
  const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
  const MARKS = ['Draft', 'Incomplete', 'Not ranked'];
  const FACETS = ['model', 'gpu', 'gpus', 'engine', 'quantization', 'speculation', 'tag'];
  const TEXTS = ['run', 'hardware'];
  const root = form.dataset.runs.replace(/runs\.js.*$/, '');
  const search = form.elements.q;
  const selects = FACETS.map((key) => form.elements[key]).filter(Boolean);
  const status = form.querySelector('[role=status]');
  const clear = form.querySelector('button');
  const heads = [...table.tHead.rows[0].cells];
  const keys = heads.map((head) => head.dataset.key);
  const built = table.tBodies[0];
  const caption = table.caption.firstElementChild;
  const builtCaption = caption.textContent;
  const frame = table.parentElement;
  const pager = document.querySelector('.pager');
  const compare = form.dataset.compare;
  const state = { sort: 'measured', dir: 'desc', picks: [] };
  let data = null;
  let loading = null;
  let found = [];
  let shown = 0;

  // ------------------------------------------------------------------------------- elements

  const fill = (node, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...children);
    return node;
  };
  const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
  const svg = (name, attributes, ...children) => fill(document.createElementNS('http://www.w3.org/2000/svg', name), attributes, children);

  // ---------------------------------------------------------------------------------- data

  const load = () => {
    loading ??= new Promise((done, failed) => {
      const speedbook = (window.speedbook ??= {});
      speedbook.runs = (raw) => done((data = prepare(raw)));
      const script = el('script', { src: form.dataset.runs });
      script.addEventListener('error', failed);
      document.head.append(script);
    });
    loading.catch(() => {
      loading = null;
      status.textContent = 'The list of runs could not be loaded.';
    });
    return loading;
  };

  function prepare(raw) {
    const of = (column) => (at) => column.d[column.i[at]];
    let time = 0;
    const count = (at) => of(raw.gpus)(at);
    const prepared = {
      ...raw,
      title: of(raw.title),
      hardware: (at) => {
        const name = of(raw.gpu)(at);
        return count(at) ? `${count(at)} × ${name ?? 'GPU'}` : name;
      },
      line: (at) => {
        const engine = [of(raw.engine)(at), of(raw.version)(at)].filter(Boolean).join(' ');
        return [engine, of(raw.quantization)(at)].filter(Boolean).join(' · ');
      },
      measured: raw.measured.map((less) => (less === null ? null : (time += less))),
      per_gpu: raw.total.map((total, at) => (total === null || !count(at) ? null : total / count(at))),
      places: FACETS.map((key) => raw[key].i.map((at) => (at === null ? [] : [].concat(at)))),
      sets: raw.flags.sets.map((set) => set.map((at) => raw.flags.d[at]).join(' ').toLowerCase()),
      orders: {},
    };
    prepared.texts = raw.slug.map((slug, at) => {
      const texts = FACETS.flatMap((key, f) => prepared.places[f][at].map((place) => raw[key].d[place]));
      return [prepared.title(at), prepared.hardware(at), prepared.line(at), of(raw.author)(at), slug, ...texts].join(' ').toLowerCase();
    });
    return prepared;
  }

  /** The runs in the order of a column: equal ones newest first, absent ones last. */
  function order(sort, dir) {
    const key = `${sort} ${dir}`;
    if (data.orders[key]) return data.orders[key];
    const values = Array.from({ length: data.n }, (_, at) => {
      if (sort === 'run') return data.title(at);
      if (sort === 'hardware') return data.hardware(at) ?? null;
      if (sort === 'matrix') return data.matrix[at]?.match(/[1-7a-g]/g)?.length ?? null;
      return data[sort][at];
    });
    const compareTexts = new Intl.Collator('en', { numeric: true }).compare;
    const by = TEXTS.includes(sort) ? compareTexts : (a, b) => a - b;
    const sign = dir === 'asc' ? 1 : -1;
    const places = values.map((_, at) => at);
    places.sort((a, b) => {
      const [x, y] = [values[a], values[b]];
      if (x === null || y === null) return (x === null) - (y === null) || a - b;
      return sign * by(x, y) || a - b;
    });
    return (data.orders[key] = places);
  }

  /** The runs that all words and all filters leave, and how many runs each choice would leave. */
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const flagged = words.map((word) => data.sets.map((set) => set.includes(word)));
    const facets = selects.map((select) => ({
      places: data.places[FACETS.indexOf(select.name)],
      wanted: select.value === '' ? -1 : data[select.name].d.indexOf(select.value),
      counts: data[select.name].d.map(() => 0),
    }));
    const left = [];
    run: for (const at of order(state.sort, state.dir)) {
      const [text, set] = [data.texts[at], data.flags.i[at]];
      for (let w = 0; w < words.length; w++) if (!text.includes(words[w]) && !flagged[w][set]) continue run;
      let against = null;
      for (const facet of facets) {
        if (facet.wanted < 0 || facet.places[at].includes(facet.wanted)) continue;
        if (against) continue run;
        against = facet;
      }
      if (!against) left.push(at);
      for (const facet of against ? [against] : facets) for (const place of facet.places[at]) facet.counts[place]++;
    }
    facets.forEach((facet, f) => {
      for (const option of selects[f].options) {
        if (option.value === '') continue;
        const n = facet.counts[data[selects[f].name].d.indexOf(option.value)];
        const label = `${option.value} (${number(n, 0)})`;
        if (option.textContent !== label) option.textContent = label;
        option.disabled = n === 0 && !option.selected;
      }
    });
    return left;
  }

  // --------------------------------------------------------------------------------- words

  /** A number as the built pages write it: a half is rounded to the even digit. */
  function number(value, decimals) {
    const scaled = value * 10 ** decimals;
    const tie = (value * 4) % 1 === 0 && scaled % 1 === 0.5;
    const text = tie ? (2 * Math.round(scaled / 2) / 10 ** decimals).toFixed(decimals) : value.toFixed(decimals);
    const [whole, fraction] = text.split('.');
    return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (fraction ? `.${fraction}` : '');
  }

  const figure = (key, at) => {
    const value = data[key][at];
    if (value === null) return null;
    return data.shown[key][at] ?? number(value, key === 'most' || key === 'prefill' ? 0 : 1);
  };

  const day = (at) => {
    const seconds = data.measured[at];
    if (data.shown.measured[at]) return data.shown.measured[at];
    if (seconds === null) return 'not given';
    const date = new Date(seconds * 1000);
    return `${MONTHS[date.getUTCMonth()]} ${date.getUTCDate()}, ${date.getUTCFullYear()}`;
  };

  const counted = (n, one) => `${n} ${one}${n === 1 ? '' : 's'}`;

  function label(at, rows) {
    if (data.shown.matrix[at]) return data.shown.matrix[at];
    const count = (pattern) => data.matrix[at].match(pattern)?.length ?? 0;
    const [least, most] = [data.least[at], figure('total', at)];
    const low = least === null ? null : number(least, 1);
    const range = low === null ? 'No total' : low === most ? low : `${low} to ${most}`;
    const [queued, without] = [count(/[a-g]/g), count(/o/g)];
    return `${range} tok/s over ${counted(rows.length, 'context')} × ${counted(rows[0].length, 'level')} of requests` +
      (queued ? `, ${counted(queued, 'cell')} queued` : '') + (without ? `, ${counted(without, 'cell')} without a figure` : '');
  }

  function picture(at) {
    if (!data.matrix[at]) return '—';
    const rows = data.matrix[at].split(' ');
    const paths = {};
    rows.forEach((row, y) => [...row].forEach((mark, x) => {
      if (mark === '.') return;
      const [left, top] = [9 * x, 7 * y];
      const queued = mark >= 'a' && mark <= 'g';
      const name = mark === 'o' ? 'none' : `q${queued ? 'abcdefg'.indexOf(mark) + 1 : mark}`;
      const path = mark === 'o' ? `M${left}.5 ${top}.5h7v5h-7z` : `M${left} ${top}${queued ? 'h5l3 3v3h-8z' : 'h8v6h-8z'}`;
      paths[name] = (paths[name] ?? '') + path;
    }));
    const [width, height] = [9 * rows[0].length - 1, 7 * rows.length - 1];
    const drawn = Object.keys(paths).map((name) => svg('path', { class: name, d: paths[name] }));
    return svg('svg', { class: 'thumb', role: 'img', 'aria-label': label(at, rows), width, height, viewBox: `0 0 ${width} ${height}` }, ...drawn);
  }

  // ---------------------------------------------------------------------------------- rows

  function row(at) {
    const cells = keys.map((key) => {
      if (key === 'run') {
        const path = data.slug[at].split('/').map(encodeURIComponent).join('/');
        const line = data.line(at);
        const head = el('th', { scope: 'row', dir: 'auto' }, el('a', { href: `${root}runs/${path}${data.end}` }, data.title(at)), ' ');
        if (line) head.append(el('small', {}, line));
        MARKS.forEach((mark, bit) => (data.marks[at] >> bit) & 1 && head.append(' ', el('small', { class: 'mark' }, mark)));
        if (compare) head.append(box(data.slug[at], data.title(at)));
        return head;
      }
      if (key === 'hardware') return el('td', { dir: 'auto' }, data.hardware(at) ?? '—');
      if (key === 'matrix') return el('td', {}, picture(at));
      if (key === 'measured') return el('td', { class: 'n' }, day(at));
      const cell = el('td', { class: 'n' }, figure(key, at) ?? '—');
      const notes = data[`${key}_note`];
      const note = notes?.d[notes.i[at]];
      if (note) cell.append(' ', el('small', {}, note));
      return cell;
    });
    return el('tr', {}, ...cells);
  }

  const more = el('button', { type: 'button', class: 'more', hidden: '' });
  frame.after(more);
  more.addEventListener('click', () => {
    const first = shown;
    table.tBodies[0].append(...next());
    table.tBodies[0].rows[first].querySelector('a').focus();
  });

  function next() {
    const rows = found.slice(shown, shown + STEP).map(row);
    shown += rows.length;
    const rest = found.length - shown;
    more.hidden = rest <= 0;
    more.textContent = `Show ${Math.min(STEP, rest)} more`;
    return rows;
  }

  // --------------------------------------------------------------------------------- state

  const chosen = () => selects.some((select) => select.value !== '');
  const sorted = () => state.sort !== 'measured' || state.dir !== 'desc';

  function update() {
    heads.forEach((head) => {
      if (head.dataset.key === state.sort) head.setAttribute('aria-sort', state.dir === 'asc' ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    });
    selects.forEach((select) => select.classList.toggle('on', select.value !== ''));
    const narrowed = search.value.trim() !== '' || chosen();
    clear.hidden = !narrowed && !sorted();
    if (data) show(narrowed);
    else if (narrowed || sorted()) load().then(update, () => {});
  }

  function show(narrowed) {
    found = filter();
    const active = narrowed || sorted();
    let body = built;
    shown = 0;
    more.hidden = true;
    if (active) {
      body = el('tbody', {}, ...next());
      if (!found.length) body.append(el('tr', {}, el('td', { class: 'none-found', colspan: keys.length }, 'No run has all of this. Take a filter or a word away.')));
    }
    if (table.tBodies[0] !== body) table.tBodies[0].replaceWith(body);
    caption.textContent = active ? `${narrowed ? 'Runs found' : 'All runs'}, by ${heads[keys.indexOf(state.sort)]?.textContent.toLowerCase() ?? 'time'}.` : builtCaption;
    if (pager) pager.hidden = active;
    const all = counted(data.n, 'run').replace(data.n, number(data.n, 0));
    status.textContent = narrowed ? `${number(found.length, 0)} of ${all}` : all;
    mark();
  }

  let waiting = 0;
  function write() {
    clearTimeout(waiting);
    const parameters = new URLSearchParams();
    if (search.value.trim()) parameters.set('q', search.value.trim());
    for (const select of selects) if (select.value) parameters.set(select.name, select.value);
    if (sorted()) parameters.set('sort', state.sort), parameters.set('dir', state.dir);
    for (const slug of state.picks) parameters.append('pick', slug);
    const query = parameters.toString();
    const to = (query ? `?${query}` : location.pathname) + location.hash;
    try {
      if (query !== location.search.slice(1)) history.replaceState(null, '', to);
    } catch {
      // Too often, or not allowed here: the page works without.
    }
  }

  function read() {
    const parameters = new URLSearchParams(location.search);
    search.value = parameters.get('q') ?? '';
    for (const select of selects) {
      const wanted = parameters.get(select.name);
      select.value = [...select.options].some((option) => option.value === wanted) ? wanted : '';
    }
    const sort = parameters.get('sort');
    state.sort = keys.includes(sort) ? sort : 'measured';
    state.dir = parameters.get('dir') === 'asc' ? 'asc' : 'desc';
    state.picks = compare ? [...new Set(parameters.getAll('pick'))] : [];
    update();
    mark();
  }

  // --------------------------------------------------------------------------------- picks

  const bar = el('div', { class: 'picked', role: 'region', 'aria-label': 'Picked runs', hidden: '' });
  const picked = el('span', { role: 'status' });
  const go = el('a', { class: 'go', href: '' }, 'Compare');
  const drop = el('button', { type: 'button' }, 'Clear');
  bar.append(picked, go, drop);
  if (compare) form.closest('section').append(bar);
  drop.addEventListener('click', () => {
    state.picks = [];
    mark();
    write();
    table.querySelector('.pick input')?.focus();
  });

  function box(slug, title) {
    const input = el('input', { type: 'checkbox', 'aria-label': `Pick ${title} to compare` });
    input.checked = state.picks.includes(slug);
    input.dataset.slug = slug;
    return el('label', { class: 'pick' }, input);
  }

  function mark() {
    for (const input of table.querySelectorAll('.pick input')) input.checked = state.picks.includes(input.dataset.slug);
    const n = state.picks.length;
    bar.hidden = n === 0;
    picked.textContent = n === 1 ? '1 run picked. Pick another to compare them.' : `${n} runs picked`;
    go.hidden = n < 2;
    go.href = `${compare}?runs=${state.picks.map(encodeURIComponent).join(',')}`;
  }

  if (compare) {
    table.classList.add('picking');
    for (const head of built.querySelectorAll('th')) {
      const link = head.querySelector('a');
      const path = link.getAttribute('href').slice(`${root}runs/`.length).replace(/\/(index\.html)?$/, '');
      head.append(box(decodeURIComponent(path), link.textContent));
    }
    table.addEventListener('change', ({ target }) => {
      const slug = target.dataset.slug;
      state.picks = state.picks.filter((other) => other !== slug);
      if (target.checked) state.picks.push(slug);
      mark();
      write();
    });
    for (const hint of document.querySelectorAll('.pick-hint')) hint.hidden = false;
  }

  // -------------------------------------------------------------------------------- events

  for (const head of heads) {
    const button = el('button', { type: 'button' }, ...head.childNodes);
    head.append(button);
    button.addEventListener('click', () => {
      const key = head.dataset.key;
      const first = TEXTS.includes(key) ? 'asc' : 'desc';
      state.dir = state.sort !== key ? first : state.dir === 'asc' ? 'desc' : 'asc';
      state.sort = key;
      update();
      write();
    });
  }
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('focusin', () => load().then(() => {}, () => {}));
  form.addEventListener('input', () => {
    update();
    clearTimeout(waiting);
    waiting = setTimeout(write, 200);
  });
  form.addEventListener('change', write);
  clear.addEventListener('click', () => {
    search.value = '';
    for (const select of selects) select.value = '';
    Object.assign(state, { sort: 'measured', dir: 'desc' });
    update();
    write();
    search.focus();
  });
  addEventListener('popstate', read);
  form.hidden = false;
  read();
})();
