// Runs that were picked on the front page: ?runs=a,b leads to the page of their comparison. Where
// there is none, or more than two were picked, the pages that there are among them are named.
(() => {
  'use strict';
  const runs = (new URLSearchParams(location.search).get('runs') ?? '').split(',').filter(Boolean);
  if (runs.length < 2) return;
  const links = new Map();
  for (const link of document.querySelectorAll('main tbody a')) {
    const parts = link.getAttribute('href').split('/');
    links.set(decodeURIComponent(parts.find((part) => part.includes('-vs-')) ?? ''), link);
  }
  const part = (slug) => slug.replaceAll('/', '--');
  for (const link of document.querySelectorAll('[data-runs]')) {
    links.set(link.dataset.runs.split(',').map(part).join('-vs-'), link);
  }
  const found = [];
  const lacking = [];
  runs.forEach((a, i) => {
    for (const b of runs.slice(i + 1)) {
      const link = links.get(`${part(a)}-vs-${part(b)}`) ?? links.get(`${part(b)}-vs-${part(a)}`);
      if (link) found.push(link);
      else lacking.push(`${a}, ${b}`);
    }
  });
  if (runs.length === 2 && found.length === 1) {
    location.replace(found[0].href);
    return;
  }
  const section = document.createElement('section');
  const heading = document.createElement('h2');
  heading.textContent = 'The runs that you picked';
  section.append(heading);
  const list = document.createElement('ul');
  list.className = 'links';
  for (const link of found) {
    const item = document.createElement('li');
    item.append(link.cloneNode(true));
    list.append(item);
  }
  for (const pair of lacking) {
    const item = document.createElement('li');
    item.textContent = `No page compares ${pair}.`;
    list.append(item);
  }
  section.append(list);
  document.querySelector('main .lead').after(section);
})();
