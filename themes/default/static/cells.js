// Everything that shows one measurement carries its anchor as data-cell: cells of the matrices,
// points of the charts, rows of the table of all measurements. Hover, focus or a tap marks them
// together and opens a card with all that the table's row says.
(() => {
  'use strict';
  const table = document.querySelector('#measurements')?.parentElement.querySelector('table');
  if (!table) return;
  const WHERE = '.matrix [data-cell], .point[data-cell]';
  const text = (element) => element.textContent.trim();

  const card = document.createElement('div');
  card.className = 'card';
  card.id = 'card';
  card.setAttribute('role', 'status');
  card.hidden = true;
  document.querySelector('main').append(card);

  const row = (anchor) => document.getElementById(`m-${anchor}`);
  const fill = (anchor) => {
    const heads = [...table.tHead.rows[0].cells].map(text);
    const cells = [...row(anchor).cells].map(text);
    const at = (name) => cells[heads.indexOf(name)];
    const title = document.createElement('strong');
    title.textContent = `${at('Context')} × ${at('Requests at once')}, ${at('Phase').toLowerCase()}`;
    const list = document.createElement('dl');
    heads.forEach((head, i) => {
      if (['Phase', 'Context', 'Requests at once'].includes(head) || cells[i] === '—') return;
      const pair = document.createElement('div');
      const term = document.createElement('dt');
      const value = document.createElement('dd');
      term.textContent = head;
      value.textContent = cells[i];
      pair.append(term, value);
      list.append(pair);
    });
    card.replaceChildren(title, list);
  };

  let shown = null; // The anchor of the measurement in the card.
  let hiding = 0;
  const each = (anchor, run) => {
    for (const element of document.querySelectorAll(`[data-cell="${CSS.escape(anchor)}"]`)) {
      run(element);
      const line = element.closest('.line');
      if (line) run(line);
    }
  };
  const hide = () => {
    clearTimeout(hiding);
    if (shown) each(shown, (element) => element.classList.remove('on'));
    shown = null;
    card.hidden = true;
  };
  const show = (element) => {
    const anchor = element.dataset.cell;
    clearTimeout(hiding);
    if (!row(anchor)) return;
    if (shown !== anchor) {
      hide();
      shown = anchor;
      each(anchor, (other) => other.classList.add('on'));
      fill(anchor);
    }
    card.hidden = false;
    // Below the element, or above it where there is no room; never beyond the sides.
    const box = element.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const left = Math.max(8, Math.min(box.left, width - card.offsetWidth - 8));
    const below = box.bottom + 8 + card.offsetHeight < innerHeight || box.top < card.offsetHeight + 8;
    const top = below ? box.bottom + 8 : box.top - card.offsetHeight - 8;
    card.style.left = `${left + scrollX}px`;
    card.style.top = `${top + scrollY}px`;
  };
  const later = () => {
    clearTimeout(hiding);
    hiding = setTimeout(hide, 250);
  };
  const target = (event) => event.target.closest?.(WHERE);

  document.addEventListener('pointerover', (event) => {
    if (event.pointerType === 'touch') return;
    if (target(event)) show(target(event));
    else if (event.target.closest?.('.card')) clearTimeout(hiding);
    else if (shown) later();
  });
  document.documentElement.addEventListener('pointerleave', later);
  document.addEventListener('click', (event) => {
    if (target(event)) show(target(event));
    else if (!event.target.closest('.card')) hide();
  });
  document.addEventListener('focusin', (event) => {
    if (target(event)) show(target(event));
    else hide();
  });
  document.addEventListener('focusout', later);

  // By keyboard: one stop for each matrix and each chart, arrows within it.
  const stop = (elements, current) => {
    for (const element of elements) element.setAttribute('tabindex', element === current ? '0' : '-1');
    for (const element of elements) element.setAttribute('aria-describedby', 'card');
  };
  const groups = [];
  for (const matrix of document.querySelectorAll('.matrix')) {
    const rows = [...matrix.tBodies[0].rows].map((line) => [...line.querySelectorAll('[data-cell]')]);
    groups.push(rows.filter((line) => line.length));
  }
  for (const chart of document.querySelectorAll('svg')) {
    const lines = [...chart.querySelectorAll('.line')].map((line) => [...line.querySelectorAll('.point[data-cell]')]);
    groups.push(lines.filter((line) => line.length));
  }
  for (const rows of groups) {
    const all = rows.flat();
    if (all.length) stop(all, all[0]);
    for (const element of all) {
      element.addEventListener('keydown', (event) => {
        const y = rows.findIndex((line) => line.includes(element));
        const x = rows[y].indexOf(element);
        const to = {
          ArrowLeft: () => rows[y][x - 1],
          ArrowRight: () => rows[y][x + 1],
          ArrowUp: () => rows[y - 1]?.[Math.min(x, rows[y - 1].length - 1)],
          ArrowDown: () => rows[y + 1]?.[Math.min(x, rows[y + 1].length - 1)],
          Home: () => rows[y][0],
          End: () => rows[y].at(-1),
        }[event.key]?.();
        if (!to) return;
        event.preventDefault();
        stop(all, to);
        to.focus();
      });
    }
  }
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') hide();
  });

  // A link to a cell of a figure that is not chosen chooses it.
  const choose = () => {
    let id = location.hash.slice(1);
    try {
      id = decodeURIComponent(id);
    } catch {
      // Then it is no anchor of ours.
    }
    const element = document.getElementById(id);
    const panel = element?.closest('.panel');
    if (!panel) return;
    const panels = [...panel.parentElement.querySelectorAll(':scope > .panel')];
    const radio = panel.parentElement.querySelectorAll('.tabs input')[panels.indexOf(panel)];
    if (radio && !radio.checked) {
      radio.checked = true;
      element.scrollIntoView({ block: 'center' });
    }
  };
  addEventListener('hashchange', choose);
  choose();
})();
