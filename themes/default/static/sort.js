// Tables of the class `sortable`: a button in each head sorts up, then down, then as given.
(() => {
  'use strict';
  const words = new Intl.Collator('en', { numeric: true });
  const absent = (text) => text === '' || text === '—';

  const key = (row, at) => {
    const cell = row.cells[at];
    if (!cell) return '';
    return cell.dataset.value ?? cell.textContent.trim();
  };

  const sorted = (rows, at, direction) => {
    const keyed = rows.map((row) => ({ row, text: key(row, at) }));
    const there = keyed.filter(({ text }) => !absent(text));
    const gone = keyed.filter(({ text }) => absent(text));
    const numbers = there.every(({ text }) => !Number.isNaN(Number(text)));
    const compare = numbers ? (a, b) => Number(a) - Number(b) : words.compare;
    // Sorting is stable, so rows that are equal stay as given, in both directions.
    there.sort((a, b) => direction * compare(a.text, b.text));
    return [...there, ...gone].map(({ row }) => row);
  };

  for (const table of document.querySelectorAll('table.sortable')) {
    const body = table.tBodies[0];
    const head = table.tHead && table.tHead.rows[0];
    if (!body || !head || body.rows.length < 2) continue;
    const given = [...body.rows];
    [...head.cells].forEach((cell, at) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...cell.childNodes);
      cell.append(button);
      button.addEventListener('click', () => {
        const now = cell.getAttribute('aria-sort');
        const next = { ascending: 'descending', descending: null }[now];
        for (const other of head.cells) other.removeAttribute('aria-sort');
        if (next === null) {
          body.append(...given);
          return;
        }
        const order = next ?? 'ascending';
        cell.setAttribute('aria-sort', order);
        body.append(...sorted(given, at, order === 'ascending' ? 1 : -1));
      });
    });
  }
})();
