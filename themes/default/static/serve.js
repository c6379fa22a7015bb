// "What can I serve?": two sliders set a budget of one's own, kept in the address as
// `#ttft=2000&each=20`. The rules are those of src/run/serving.rs.
(() => {
  'use strict';
  const section = document.querySelector('section.serve');
  const table = section && section.querySelector('table.answers');
  const own = section && section.querySelector('.own');
  if (!table || !own) return;

  // `null` is no limit.
  const STEPS = {
    ttft: [100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10000, 15000, 20000, 30000, 60000, null],
    each: [null, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150, 200, 300, 500],
  };
  const budget = { ttft: 5000, each: 10 };

  const number = (text) => (text === '-' ? null : Number(text));
  const rows = [...table.tBodies[0].rows].map((row) => {
    const levels = row.dataset.levels.split(';').filter(Boolean).map((level) => {
      const [n, ttft, each, total, price] = level.split(' ');
      return { n: Number(n), ttft: number(ttft), each: number(each), total, price };
    });
    const { prefix, refused } = row.dataset;
    return { levels, prefix, refused: Number(refused ?? 0), cell: row.insertCell() };
  });

  /** Whether a level keeps the budget; `null` where it does not tell. */
  const keeps = ({ ttft, each }) => {
    const told = [];
    if (budget.ttft !== null) told.push(ttft === null ? null : ttft <= budget.ttft);
    if (budget.each !== null) told.push(each === null ? null : each >= budget.each);
    if (told.includes(false)) return false;
    return told.includes(null) ? null : true;
  };

  const answer = ({ levels, refused }) => {
    const told = levels.map(keeps);
    const at = told.lastIndexOf(true);
    if (at < 0) {
      const left = told.filter((kept) => kept === null).length;
      if (left === told.length) return { value: 'not measured', why: 'no valid cell with these figures' };
      return { value: 'none', why: `no measured cell keeps it${left ? `; ${left} left out` : ''}` };
    }
    const level = levels[at];
    const edge = refused <= level.n && !told.includes(false, at + 1);
    return { level, edge };
  };

  const element = (name, text) => {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  };

  const fill = (row) => {
    const { level, edge, value, why } = answer(row);
    const { cell } = row;
    cell.textContent = '';
    cell.className = level ? 'mine' : 'mine no';
    delete cell.dataset.cell;
    if (!level) {
      cell.append(`${value} `, element('small', why));
      return false;
    }
    const link = element('a', '');
    link.href = `#${row.prefix}${level.n}`;
    link.append(element('b', `${level.n}${edge ? '+' : ''}`), level.n === 1 && !edge ? ' request' : ' requests');
    cell.dataset.cell = row.prefix + level.n;
    cell.append(link);
    if (level.total !== '-') cell.append(' ', element('small', `${level.total} tok/s in total`));
    if (level.price !== '-') cell.append(' ', element('small', `${level.price} per M`));
    return edge;
  };

  const commas = (value) => value.toLocaleString('en-US', { maximumFractionDigits: 9 });
  const words = {
    ttft: (ms) => (ms === null ? 'any' : ms < 1000 ? `${commas(ms)} ms` : `${commas(ms / 1000)} s`),
    each: (each) => (each === null ? 'any' : `${commas(each)} tok/s`),
  };

  const head = element('th', 'Your own ');
  head.scope = 'col';
  head.className = 'mine';
  const limits = element('small', '');
  head.append(limits);
  table.tHead.rows[0].append(head);
  const edgeNote = section.querySelector('.edge');
  const edgeBuilt = edgeNote && !edgeNote.hidden;

  const sliders = Object.keys(STEPS).map((name) => {
    const input = document.getElementById(`own-${name}`);
    const steps = STEPS[name];
    input.min = 0;
    input.max = steps.length - 1;
    input.step = 1;
    input.addEventListener('input', () => {
      budget[name] = steps[input.value];
      show();
      const pairs = Object.keys(STEPS).map((key) => `${key}=${budget[key] ?? 'any'}`);
      history.replaceState(history.state, '', `#${pairs.join('&')}`);
    });
    return { name, input, steps, output: own.querySelector(`output[for=own-${name}]`) };
  });

  /** The step nearest to a limit. */
  const nearest = (steps, limit) => {
    const far = (step) => (step === limit ? -1 : step === null || limit === null ? Infinity : Math.abs(Math.log(step / limit)));
    return steps.reduce((best, step, at) => (far(step) < far(steps[best]) ? at : best), 0);
  };

  const show = () => {
    for (const { name, input, steps, output } of sliders) {
      const text = words[name](budget[name]);
      input.value = nearest(steps, budget[name]);
      input.setAttribute('aria-valuetext', text);
      output.textContent = text;
    }
    const parts = [];
    if (budget.ttft !== null) parts.push(`TTFT ≤ ${words.ttft(budget.ttft)}`);
    if (budget.each !== null) parts.push(`≥ ${words.each(budget.each)} each`);
    limits.textContent = parts.join(', ') || 'no limit';
    const edges = rows.map(fill);
    if (edgeNote) edgeNote.hidden = !edgeBuilt && !edges.includes(true);
  };

  /** Takes the budget of an address; other anchors are left alone. */
  const read = () => {
    const pairs = location.hash.slice(1).split('&').map((pair) => pair.split('='));
    if (!pairs.every(([name, limit]) => name in STEPS && (limit === 'any' || (limit && Number(limit) > 0 && Number.isFinite(Number(limit)))))) return;
    budget.ttft = budget.each = null;
    for (const [name, limit] of pairs) budget[name] = limit === 'any' ? null : Number(limit);
    show();
    section.scrollIntoView();
  };

  own.hidden = false;
  show();
  read();
  addEventListener('hashchange', read);
})();
