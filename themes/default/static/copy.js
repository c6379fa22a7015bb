// "Copy": puts the text of the element that `data-copy` names on the clipboard.
(() => {
  'use strict';
  // Where there is no permission: by way of a field that is selected.
  const byField = (text) => {
    const field = document.createElement('textarea');
    field.value = text;
    field.readOnly = true;
    field.className = 'skip';
    document.body.append(field);
    field.select();
    let done = false;
    try {
      done = document.execCommand('copy');
    } catch {
      done = false;
    }
    field.remove();
    return done;
  };

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return byField(text);
    }
  };

  for (const button of document.querySelectorAll('button[data-copy]')) {
    const source = document.getElementById(button.dataset.copy);
    const section = button.closest('section');
    if (!source || !section) continue;
    const status = section.querySelector('[role=status]');
    const label = button.textContent;
    const about = document.getElementById(button.getAttribute('aria-describedby'));
    let timer = 0;
    button.addEventListener('click', async () => {
      const done = await copy(source.textContent);
      button.focus();
      clearTimeout(timer);
      if (done) {
        button.textContent = 'Copied';
        status.textContent = 'Copied';
      } else {
        source.closest('details').open = true;
        getSelection().selectAllChildren(source);
        status.textContent = 'The browser does not let the page copy: the line is selected below.';
      }
      timer = setTimeout(() => {
        button.textContent = label;
        status.textContent = '';
      }, done ? 2000 : 10000);
    });
    button.hidden = false;
    if (about) about.hidden = false;
  }
})();
