// Two sliders set a budget of one's own, kept in the address (`#ttft=2000&each=20`). The rules are
// those of src/run/serving.rs.
(() => {
  'use strict';
  const section = document.querySelector('section.serve');
  const table = section?.querySelector('.answers');
  const own = section?.querySelector('.own');
  if (!table || !own) return;

  // `null` is no limit.
  const STEPS = {
    ttft: [100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10000, 15000, 20000, 30000, 60000, null],
    each: [null, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500],
  };
  const NAMES = Object.keys(STEPS);
  const budget = { ttft: 5000, each: 10 };

  const make = (name, ...content) => {
    const made = document.createElement(name);
    made.append(...content);
    return made;
  };
  const number = (text) => (text === '-' ? null : +text);
  const rows = [...table.tBodies[0].rows].map((row) => {
    const levels = row.dataset.levels.split(';').filter(Boolean).map((level) => {
      const [n, ttft, each, total, price] = level.split(' ');
      return { n: +n, ttft: number(ttft), each: number(each), total, price };
    });
    return { ...row.dataset, levels, cell: row.insertCell() };
  });

  // null: the level does not tell.
  const keeps = (level) => {
    const told = NAMES.filter((name) => budget[name] !== null).map((name) =>
      level[name] === null ? null : name === 'ttft' ? level.ttft <= budget.ttft : level.each >= budget.each);
    return told.includes(false) ? false : told.includes(null) ? null : true;
  };

  const fill = ({ levels, prefix, refused = 0, cell }) => {
    const told = levels.map(keeps);
    const at = told.lastIndexOf(true);
    cell.className = at < 0 ? 'mine no' : 'mine';
    delete cell.dataset.cell;
    if (at < 0) {
      const left = told.filter((kept) => kept === null).length;
      const [value, why] = left === told.length
        ? ['not measured', 'no valid cell with these figures']
        : ['none', `no measured cell keeps it${left ? `; ${left} left out` : ''}`];
      cell.replaceChildren(`${value} `, make('small', why));
      return false;
    }
    const { n, total, price } = levels[at];
    const edge = refused <= n && !told.includes(false, at + 1);
    const link = make('a', make('b', n + (edge ? '+' : '')), n === 1 && !edge ? ' request' : ' requests');
    link.href = `#${prefix}${n}`;
    cell.dataset.cell = prefix + n;
    cell.replaceChildren(link);
    if (total !== '-') cell.append(' ', make('small', `${total} tok/s in total`));
    if (price !== '-') cell.append(' ', make('small', `${price} per M`));
    return edge;
  };

  const commas = (value) => value.toLocaleString('en-US');
  const words = {
    ttft: (ms) => (ms < 1000 ? `${commas(ms)} ms` : `${commas(ms / 1000)} s`),
    each: (each) => `${commas(each)} tok/s`,
  };

  const limits = make('small');
  const head = make('th', 'Your own ', limits);
  head.scope = 'col';
  head.className = 'mine';
  table.tHead.rows[0].append(head);
  const note = section.querySelector('.edge');
  const built = !note.hidden;

  // The step nearest to a limit.
  const nearest = (steps, limit) => {
    const far = (step) => (step === limit ? -1 : step && limit ? Math.abs(Math.log(step / limit)) : Infinity);
    return steps.reduce((best, step, at) => (far(step) < far(steps[best]) ? at : best), 0);
  };

  const input = (name) => document.getElementById(`own-${name}`);
  const show = () => {
    const parts = [];
    for (const name of NAMES) {
      const limit = budget[name];
      const text = limit === null ? 'any' : words[name](limit);
      input(name).value = nearest(STEPS[name], limit);
      input(name).setAttribute('aria-valuetext', text);
      own.querySelector(`[for=own-${name}] ~ output`).textContent = text;
      if (limit !== null) parts.push(name === 'ttft' ? `TTFT ≤ ${text}` : `≥ ${text} each`);
    }
    limits.textContent = parts.join(', ') || 'no limit';
    const edges = rows.map(fill);
    note.hidden = !built && !edges.includes(true);
  };

  // Any other anchor is left alone.
  const read = () => {
    const given = new Map(location.hash.slice(1).split('&').map((pair) => pair.split('=')));
    for (const [name, limit] of given) {
      if (!NAMES.includes(name) || !(limit === 'any' || (+limit > 0 && +limit < Infinity))) return;
    }
    for (const name of NAMES) budget[name] = +given.get(name) || null;
    show();
    section.scrollIntoView();
  };

  for (const name of NAMES) {
    input(name).max = STEPS[name].length - 1;
    input(name).addEventListener('input', ({ target }) => {
      budget[name] = STEPS[name][target.value];
      show();
      // On a narrow screen: to the column of one's own.
      table.parentElement.scrollLeft = 9999;
      const pairs = NAMES.map((key) => `${key}=${budget[key] ?? 'any'}`);
      history.replaceState(null, '', `#${pairs.join('&')}`);
    });
  }
  own.hidden = false;
  show();
  read();
  addEventListener('hashchange', read);
})();
