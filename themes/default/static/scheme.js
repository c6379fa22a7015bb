// Dark or light: as the system says, until the reader switches. The choice is remembered on this
// device; switching back to what the system says forgets it.
(() => {
  'use strict';
  const KEY = 'speedbook-scheme';
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const remembered = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // Storage is switched off, or this is a file.
    }
  };
  const remember = (choice) => {
    try {
      if (choice) localStorage.setItem(KEY, choice);
      else localStorage.removeItem(KEY);
    } catch {
      // Then it holds for this page only.
    }
  };
  const ofSystem = () => (system.matches ? 'dark' : 'light');
  let choice = remembered();
  const button = document.getElementById('scheme');
  const show = () => {
    if (choice === 'dark' || choice === 'light') root.dataset.scheme = choice;
    else delete root.dataset.scheme;
    if (!button) return;
    const now = choice ?? ofSystem();
    button.textContent = now === 'dark' ? 'Light' : 'Dark';
    button.setAttribute('aria-label', `${button.textContent} colours`);
    button.hidden = false;
  };
  button?.addEventListener('click', () => {
    const next = (choice ?? ofSystem()) === 'dark' ? 'light' : 'dark';
    choice = next === ofSystem() ? null : next;
    remember(choice);
    show();
  });
  system.addEventListener('change', show);
  addEventListener('storage', (event) => {
    if (event.key !== KEY) return;
    choice = event.newValue;
    show();
  });
  show();
})();
