// What the pages promise to everybody who opens them, whatever the browser, the screen and the input:
// looked at in a real Chromium with the Content-Security-Policy in force.
import assert from 'node:assert/strict';
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { SCHEMES, quit, visit } from './browser.mjs';
import { HOSTILE, MORE_PAGES, PAGES, finish, root, site } from './sites.mjs';

after(async () => {
  await quit();
  await finish();
});

const cases = await site('cases');
const demo = await site('demo');
const ALL = { ...PAGES, ...MORE_PAGES };
const FIRST = cases.url + PAGES['run-first-report'];
const SECOND = cases.url + PAGES['run-second-report'];
const axeSource = await readFile(join(import.meta.dirname, 'node_modules/axe-core/axe.min.js'), 'utf8');

// Rules of axe that are not asked for, and why. All others are, also those that are off by default.
const NOT_ASKED = {
  'color-contrast-enhanced': 'level AAA, 7:1; what is promised is 4.5:1, which color-contrast looks for',
};

/** What axe finds, as one line each. `within` is a selector, `only` some rules instead of all. */
async function axe(page, within = null, only = null) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  return page.evaluate(
    async ([notAsked, within, only]) => {
      const values = only ?? axe.getRules().map((rule) => rule.ruleId).filter((id) => !notAsked.includes(id));
      const result = await axe.run(within ?? document, { runOnly: { type: 'rule', values }, resultTypes: ['violations'] });
      return result.violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.join(' ')} ${node.html.slice(0, 160)} | ${node.failureSummary.replace(/\s+/g, ' ').slice(0, 300)}`));
    },
    [Object.keys(NOT_ASKED), within, only],
  );
}

/** At most twenty lines of many, so that a failure can be read. */
const some = (lines) => (lines.length > 20 ? [...lines.slice(0, 20), `and ${lines.length - 20} more`] : lines);
const none = (lines, what) => assert.deepEqual(some(lines), [], what);

/** The radio inputs that switch the metric of a matrix, on a run's page. */
const radiosOf = (page, section) => page.locator(`section[aria-labelledby="${section}"] input[type=radio]`);

/** The metrics of the matrix that can be seen now: the endings of the ids of cells, '' for the first metric. */
const shownMetrics = (page, section) =>
  page.evaluate((section) => {
    const seen = [];
    for (const table of document.querySelectorAll(`section[aria-labelledby="${section}"] table.matrix`)) {
      if (!table.checkVisibility({ visibilityProperty: true, opacityProperty: true, contentVisibilityAuto: true }) || !table.getBoundingClientRect().height) continue;
      const cell = table.querySelector('td[id]');
      seen.push(cell ? cell.id.slice(cell.dataset.cell?.length ?? Infinity) : 'a matrix without ids');
    }
    return seen;
  }, section);

const FIVE = ['', '-each', '-ttft', '-itl', '-scaling'];

/** Chooses a radio with the mouse: on its label, where it has one to be seen. */
async function choose(page, radio) {
  const id = await radio.getAttribute('id');
  const label = id ? page.locator(`label[for="${id}"]`) : radio.locator('xpath=ancestor::label');
  await ((await label.count()) ? label.first() : radio).click();
}

describe('axe finds no violation', () => {
  for (const [name, path] of Object.entries(PAGES)) {
    for (const scheme of SCHEMES) {
      test(`${name}, ${scheme}`, async () => {
        await visit(cases.url + path, { scheme }, async (page) => none(await axe(page), name));
      });
    }
  }
  for (const [name, path] of Object.entries(MORE_PAGES)) {
    test(`${name}, in light, and its colours in dark`, async () => {
      await visit(cases.url + path, {}, async (page) => {
        none(await axe(page), name);
        await page.emulateMedia({ colorScheme: 'dark' });
        none(await axe(page, null, ['color-contrast', 'link-in-text-block']), `${name}, dark`);
      });
    });
  }
  for (const scheme of SCHEMES) {
    test(`each metric of the matrix, ${scheme}`, async () => {
      await visit(SECOND, { scheme }, async (page) => {
        const radios = await radiosOf(page, 'decode').all();
        assert.ok(radios.length >= 5, `${radios.length} metrics`);
        for (const radio of radios) {
          await choose(page, radio);
          none(await axe(page, 'section[aria-labelledby="decode"]'), await radio.getAttribute('id'));
        }
      });
    });
    test(`on a phone, ${scheme}`, async () => {
      for (const name of ['index', 'run-first-report']) {
        await visit(cases.url + PAGES[name], { scheme, width: 390, height: 844, touch: true }, async (page) => none(await axe(page), name));
      }
    });
  }
});

describe('nothing scrolls sideways', () => {
  for (const [name, path] of Object.entries(ALL)) {
    test(name, async () => {
      await visit(cases.url + path, { touch: true, width: 320, height: 640 }, async (page) => {
        for (const width of [320, 390]) {
          await page.setViewportSize({ width, height: 640 });
          for (const colorScheme of SCHEMES) {
            await page.emulateMedia({ colorScheme });
            const found = await page.evaluate(() => {
              const wide = [];
              const frame = (e) => {
                for (let p = e.parentElement; p && p !== document.body; p = p.parentElement) if (/auto|scroll|hidden|clip/.test(getComputedStyle(p).overflowX)) return true;
                return false;
              };
              for (const e of document.body.querySelectorAll('*')) {
                const box = e.getBoundingClientRect();
                if (box.width && box.height && box.right > innerWidth + 1 && box.left < innerWidth && e.checkVisibility() && !frame(e)) wide.push(`${e.tagName.toLowerCase()}.${e.getAttribute('class') ?? ''}#${e.id} to ${Math.round(box.right)}`);
              }
              return { scroll: document.scrollingElement.scrollWidth, inner: innerWidth, wide };
            });
            none(found.wide, `${name} at ${width}, ${colorScheme}: wider than the screen`);
            assert.ok(found.scroll <= found.inner, `${name} at ${width}, ${colorScheme}: ${found.scroll} px of ${found.inner}`);
          }
        }
        // What scrolls within its own frame is reached by keyboard, and has a name.
        const frames = await page.evaluate(() =>
          [...document.body.querySelectorAll('*')]
            .filter((e) => e.scrollWidth > e.clientWidth + 1 && /auto|scroll/.test(getComputedStyle(e).overflowX) && e.checkVisibility())
            .filter((e) => !(e.tabIndex >= 0 || e.querySelector('a[href], button, input, [tabindex="0"]')) || (e.matches('.scroll') && !(e.getAttribute('role') === 'region' && e.getAttribute('aria-label') && e.tabIndex === 0)))
            .map((e) => e.outerHTML.slice(0, 120)),
        );
        none(frames, `${name}: frames that cannot be scrolled by keyboard, or have no name`);
      });
    });
  }
});

/**
 * Targets that are smaller than 24 × 24 and not excepted by WCAG 2.5.8: links within a sentence (Inline); those
 * of which the circle of 24 px touches no other (Spacing). Points of charts are excepted as Essential: their place
 * is what they say, and every one has an equal in the matrix and the table.
 */
const smallTargets = () => {
  const targets = [];
  const letters = /[\p{L}\p{N}]/u;
  const inSentence = (e) => {
    if (e.tagName !== 'A' || getComputedStyle(e).display !== 'inline') return false;
    let block = e.parentElement;
    while (block && getComputedStyle(block).display.startsWith('inline')) block = block.parentElement;
    const copy = block.cloneNode(true);
    copy.querySelectorAll('a').forEach((a) => a.remove());
    return letters.test(copy.textContent);
  };
  for (const e of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex]:not([tabindex="-1"]), [role=button], [role=tab], [onclick]')) {
    if (!e.checkVisibility({ visibilityProperty: true }) || e.matches('svg .point, svg .point *, .skip:not(:focus), .scroll, pre')) continue;
    const boxes = [e, ...(e.labels ?? [])].map((x) => x.getBoundingClientRect()).filter((b) => b.width > 1 && b.height > 1);
    if (!boxes.length) continue;
    const box = { left: Math.min(...boxes.map((b) => b.left)), top: Math.min(...boxes.map((b) => b.top)), right: Math.max(...boxes.map((b) => b.right)), bottom: Math.max(...boxes.map((b) => b.bottom)) };
    const small = box.right - box.left < 23.95 || box.bottom - box.top < 23.95;
    targets.push({ e, box, small, x: (box.left + box.right) / 2, y: (box.top + box.bottom) / 2 });
  }
  const bad = [];
  for (const t of targets) {
    if (!t.small || inSentence(t.e)) continue;
    const near = targets.find((u) => {
      if (u === t || u.e.contains(t.e) || t.e.contains(u.e)) return false;
      if (u.small) return Math.hypot(u.x - t.x, u.y - t.y) < 24;
      return Math.hypot(Math.max(u.box.left - t.x, 0, t.x - u.box.right), Math.max(u.box.top - t.y, 0, t.y - u.box.bottom)) < 12;
    });
    if (near) bad.push(`${Math.round(t.box.right - t.box.left)}×${Math.round(t.box.bottom - t.box.top)} ${t.e.outerHTML.slice(0, 120)} beside ${near.e.outerHTML.slice(0, 80)}`);
  }
  return bad;
};

describe('every target is of 24 pixels, or stands apart', () => {
  for (const [name, path] of Object.entries(ALL)) {
    test(name, async () => {
      await visit(cases.url + path, { touch: true }, async (page) => {
        for (const width of [1280, 390, 320]) {
          await page.setViewportSize({ width, height: 800 });
          for (const colorScheme of SCHEMES) {
            await page.emulateMedia({ colorScheme });
            none(await page.evaluate(smallTargets), `${name} at ${width}, ${colorScheme}`);
          }
        }
      });
    });
  }
});

describe('without JavaScript', () => {
  const off = { javascript: false };
  // The order of the sections on a run's page; those without content may be missing.
  const ORDER = ['audit', 'decode', 'serve', 'charts', 'burst', 'prefill', 'launch', 'facts', 'author-notes', 'measurements', 'definitions'];
  const NEEDED = {
    'run-first-report': ['audit', 'decode', 'serve', 'charts', 'prefill', 'launch', 'facts', 'measurements', 'definitions'],
    'run-second-report': ['decode', 'serve', 'charts', 'prefill', 'launch', 'facts', 'measurements', 'definitions'],
    'run-burst': ['decode', 'charts', 'burst', 'prefill', 'measurements', 'definitions'],
    'run-prefill-only': ['charts', 'prefill', 'measurements'],
    'run-all-failed': ['decode', 'measurements'],
    'run-single-cell': ['decode', 'measurements'],
  };
  for (const [name, needed] of Object.entries(NEEDED)) {
    test(`every section of ${name} is there, in its order`, async () => {
      await visit(cases.url + ALL[name], off, async (page) => {
        const sections = await page.evaluate(() =>
          [...document.querySelectorAll('main section[aria-labelledby]')].map((section) => {
            const id = section.getAttribute('aria-labelledby');
            const heading = document.getElementById(id);
            const box = section.getBoundingClientRect();
            return { id, good: section.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && box.height > 20 && section.contains(heading) && /^H[2-6]$/.test(heading.tagName) && heading.checkVisibility() };
          }),
        );
        none(sections.filter((s) => !s.good).map((s) => s.id), 'sections that cannot be seen, or lack their heading');
        const ids = sections.map((s) => s.id);
        none(needed.filter((id) => !ids.includes(id)), 'sections that are missing');
        const known = ids.filter((id) => ORDER.includes(id));
        assert.deepEqual(known, ORDER.filter((id) => known.includes(id)), 'the order of the sections');
      });
    });
  }

  test('every metric of the matrix is reached by mouse and by keyboard', async () => {
    for (const address of [FIRST, SECOND]) {
      await visit(address, off, async (page) => {
        const radios = radiosOf(page, 'decode');
        assert.ok((await radios.count()) >= 5, `${await radios.count()} radio inputs in the section of the matrix`);
        assert.deepEqual(await shownMetrics(page, 'decode'), [''], 'at first, total tok/s');
        const byMouse = [];
        for (const radio of await radios.all()) {
          await choose(page, radio);
          const shown = await shownMetrics(page, 'decode');
          assert.equal(shown.length, 1, `after a click: ${shown}`);
          byMouse.push(shown[0]);
        }
        none(FIVE.filter((metric) => !byMouse.includes(metric)), 'metrics that no radio shows');
        assert.equal(new Set(byMouse).size, byMouse.length, `${byMouse}`);
        await choose(page, radios.first());
        await radios.first().focus();
        const byKeys = await shownMetrics(page, 'decode');
        for (let i = 1; i < byMouse.length; i += 1) {
          await page.keyboard.press('ArrowRight');
          byKeys.push(...(await shownMetrics(page, 'decode')));
        }
        assert.deepEqual(byKeys, byMouse);
      });
    }
  });

  test('the metric of a matrix is switched by touch', async () => {
    await visit(FIRST, { ...off, touch: true, width: 390, height: 844 }, async (page) => {
      const radio = radiosOf(page, 'decode').nth(2);
      const id = await radio.getAttribute('id');
      await (id ? page.locator(`label[for="${id}"]`) : radio.locator('xpath=ancestor::label')).tap();
      assert.deepEqual(await shownMetrics(page, 'decode'), ['-ttft']);
    });
  });

  test('a burst has a matrix of its own, switched apart from the other', async () => {
    await visit(cases.url + MORE_PAGES['run-burst'], off, async (page) => {
      const radios = radiosOf(page, 'burst');
      assert.ok((await radios.count()) > 1, 'radio inputs');
      const before = await shownMetrics(page, 'decode');
      await choose(page, radios.nth(1));
      assert.notDeepEqual(await shownMetrics(page, 'burst'), ['']);
      assert.deepEqual(await shownMetrics(page, 'decode'), before);
    });
  });

  test('no control that needs JavaScript is seen', async () => {
    for (const name of ['index', 'run-first-report', 'run-burst', 'prose', '404', 'models']) {
      await visit(cases.url + ALL[name], off, async (page) => {
        const dead = await page.evaluate(() =>
          [...document.querySelectorAll('button, select, input:not([type=radio]), textarea, [role=slider], [role=button]')]
            .filter((e) => !e.closest('form[action]') && e.checkVisibility({ visibilityProperty: true }))
            .map((e) => e.outerHTML.slice(0, 120)),
        );
        none(dead, name);
      });
    }
  });

  test('the list of runs can be read and followed', async () => {
    await visit(cases.url, off, async (page) => {
      for (const title of ['Qwen3.5-397B-A17B-NVFP4-V2', 'Single', HOSTILE.rtl]) {
        const link = page.getByRole('link', { name: title }).first();
        assert.ok(await link.isVisible(), title);
      }
    });
  });
});

describe('without the stylesheets', () => {
  for (const javascript of [false, true]) {
    test(`all metrics follow each other, JavaScript ${javascript ? 'on' : 'off'}`, async () => {
      await visit(FIRST, { javascript, block: /\.css(\?|$)/ }, async (page) => {
        const shown = await shownMetrics(page, 'decode');
        none(FIVE.filter((metric) => !shown.includes(metric)), 'metrics that are missing');
        assert.equal(shown[0], '');
        assert.ok(await page.locator('svg').first().isVisible(), 'charts');
      });
    });
  }
});

describe('in print', () => {
  for (const javascript of [false, true]) {
    test(`all metrics are there, and no navigation, JavaScript ${javascript ? 'on' : 'off'}`, async () => {
      await visit(FIRST, { javascript, width: 720, scheme: 'dark' }, async (page) => {
        await page.emulateMedia({ media: 'print' });
        const shown = await shownMetrics(page, 'decode');
        none(FIVE.filter((metric) => !shown.includes(metric)), 'metrics that are missing');
        const seen = await page.evaluate(() => ({
          ground: getComputedStyle(document.body).backgroundColor,
          controls: [...document.querySelectorAll('nav, button, select, input')].filter((e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && e.getBoundingClientRect().width > 1).map((e) => e.outerHTML.slice(0, 80)),
          cut: [...document.querySelectorAll('.scroll')].filter((e) => e.checkVisibility() && /auto|scroll/.test(getComputedStyle(e).overflowX) && e.scrollWidth > e.clientWidth + 1).length,
        }));
        assert.match(seen.ground, /^rgb\(255, 255, 255\)$|^rgba\(0, 0, 0, 0\)$/, 'white paper');
        none(seen.controls, 'controls on paper');
        assert.equal(seen.cut, 0, 'tables cut by their frame');
      });
    });
  }
});

describe('by keyboard', () => {
  /** Presses Tab through a page; what is not reached, or shows no focus. */
  async function walk(page) {
    const expected = await page.evaluate(() => {
      const groups = new Set();
      const look = (e) => [e, ...(e.labels ?? []), e.parentElement, ...(e.querySelectorAll?.('*') ?? [])].slice(0, 12).map((x) => {
        const s = getComputedStyle(x);
        return [s.outlineStyle === 'none' ? '' : s.outlineStyle + s.outlineWidth + s.outlineColor, s.boxShadow, s.borderColor, s.backgroundColor, s.textDecorationLine, s.left, s.top, s.stroke, s.strokeWidth].join();
      }).join(';');
      const list = [...document.querySelectorAll('a[href], button:not(:disabled), input:not([type=hidden]):not(:disabled), select, textarea, summary, [tabindex]')].filter((e) => {
        if (e.tabIndex < 0 || !e.checkVisibility({ visibilityProperty: true }) || e.closest('[inert]')) return false;
        if (e.type !== 'radio') return true;
        const key = `${e.form?.id}/${e.name}`;
        const group = [...document.querySelectorAll('input[type=radio]')].filter((r) => r.name === e.name);
        if (groups.has(key) || (group.some((r) => r.checked) && !e.checked)) return false;
        groups.add(key);
        return true;
      });
      window.speedbookTest = { list, look, before: list.map(look) };
      return list.length;
    });
    const reached = new Set();
    const unseen = [];
    for (let i = 0; i < expected + 30; i += 1) {
      await page.keyboard.press('Tab');
      const now = await page.evaluate(() => {
        const { list, look, before } = window.speedbookTest;
        const e = document.activeElement;
        if (!e || e === document.body) return null;
        const index = list.indexOf(e);
        const box = e.getBoundingClientRect();
        const x = box.left + box.width / 2;
        const y = box.top + box.height / 2;
        const on = [e, ...(e.labels ?? [])].some((t) => {
          const b = t.getBoundingClientRect();
          return b.bottom > 0 && b.top < innerHeight;
        });
        return { index, seen: index < 0 || look(e) !== before[index], on, html: e.outerHTML.slice(0, 120), x, y };
      });
      if (now === null || reached.has(now.index)) {
        if (reached.size) break;
        continue;
      }
      reached.add(now.index);
      if (!now.seen) unseen.push(`no mark of the focus: ${now.html}`);
      if (!now.on) unseen.push(`out of the window: ${now.html}`);
    }
    const missed = await page.evaluate((reached) => window.speedbookTest.list.filter((_, i) => !reached.includes(i)).map((e) => e.outerHTML.slice(0, 120)), [...reached]);
    return { expected, missed, unseen };
  }
  for (const name of ['index', 'run-second-report', 'prose', '404']) {
    test(`Tab reaches every control of ${name}, and the focus is seen`, async () => {
      await visit(cases.url + PAGES[name], { reducedMotion: 'reduce' }, async (page) => {
        const { expected, missed, unseen } = await walk(page);
        console.log(`${name}: ${expected} controls`);
        none(missed, 'not reached');
        none(unseen, 'focus');
      });
    });
  }
});

// The card: what is seen of these when a cell is pointed at.
const CARD = '.card:visible, [role=tooltip]:visible';

describe('the card of a cell', () => {
  /** What the row of all measurements says of a cell: heads and texts that are not empty. */
  const rowOf = (page, anchor) =>
    page.evaluate((anchor) => {
      const row = document.getElementById(`m-${anchor}`);
      if (!row) return null;
      const heads = [...row.closest('table').querySelectorAll('thead th')];
      return [...row.children].map((cell, i) => ({ head: heads[i].textContent.replace(/\(.*\)/, '').trim(), text: cell.textContent.replace(/\s+/g, ' ').trim() })).filter(({ text }) => text && text !== '—');
    }, anchor);

  /** Fails unless the card says all of the row. */
  async function saysAll(page, anchor) {
    const row = await rowOf(page, anchor);
    assert.ok(row?.length > 2, `no row #m-${anchor}`);
    const card = page.locator(CARD).first();
    await card.waitFor({ timeout: 2000 });
    const text = (await card.innerText()).replace(/\s+/g, ' ').toLowerCase();
    // The card's title says these three without their heads: "8K × 1, sustained decode".
    const inTitle = ['Phase', 'Context', 'Requests at once'];
    const headed = ({ head }) => inTitle.includes(head) || text.includes(head.toLowerCase());
    none(row.filter(({ head, text: value }) => !text.includes(value.toLowerCase()) || !headed({ head })).map(({ head, text: value }) => `${head}: ${value}`), `the card of ${anchor} says: ${text}`);
  }
  const gone = async (page, why) => assert.equal(await page.locator(CARD).count(), 0, why);
  const marked = (page) => page.evaluate(() => [...document.querySelectorAll('[data-cell].on')].map((e) => e.dataset.cell));

  const CELLS = [
    [FIRST, 'c8k-n1'],
    [FIRST, 'c8k-n128'], // queued
    [FIRST, 'c251k-n1'], // a TTFT in doubt
    [SECOND, 'c64k-n128'], // over capacity
    [cases.url + MORE_PAGES['run-measured'], 'c0-n1'],
    [cases.url + PAGES['run-all-failed'], 'c0-n1'],
  ];
  for (const [address, anchor] of CELLS) {
    test(`pointing at ${anchor} of ${address.split('/').at(-2)}`, async () => {
      await visit(address, {}, async (page) => {
        await gone(page, 'before');
        await page.locator(`td#${anchor}`).hover();
        await saysAll(page, anchor);
        const all = await page.locator(`[data-cell="${anchor}"]`).count();
        assert.ok(all >= 2, `${all} elements show ${anchor}`);
        assert.deepEqual(await marked(page), Array(all).fill(anchor), 'all that show it are marked, and nothing else');
        await page.keyboard.press('Escape');
        await gone(page, 'after Escape');
        await page.mouse.move(2, 2);
        assert.deepEqual(await marked(page), [], 'after the pointer left');
      });
    });
  }

  test('the card can be pointed at itself, and stays in the window', async () => {
    await visit(FIRST, { width: 1280, height: 600 }, async (page) => {
      for (const anchor of ['c8k-n1', 'c8k-n128', 'c251k-n128']) {
        await page.locator(`td#${anchor}`).hover();
        const card = page.locator(CARD).first();
        await card.waitFor({ timeout: 2000 });
        const box = await card.boundingBox();
        assert.ok(box.x >= 0 && box.x + box.width <= 1280 && box.y >= 0 && box.y + box.height <= 600, `${anchor}: ${JSON.stringify(box)}`);
      }
    });
  });

  test('the focus opens it, Escape closes it', async () => {
    await visit(FIRST, {}, async (page) => {
      await radiosOf(page, 'decode').first().focus();
      const cellOfFocus = () => page.evaluate(() => document.activeElement?.closest('table.matrix [data-cell]')?.dataset.cell);
      let anchor;
      for (let i = 0; i < 8 && !anchor; i += 1) {
        await page.keyboard.press('Tab');
        anchor = await cellOfFocus();
      }
      assert.equal(anchor, 'c8k-n1', 'the first cell is reached with Tab');
      await saysAll(page, anchor);
      assert.ok((await marked(page)).includes(anchor));
      await page.keyboard.press('Escape');
      await gone(page, 'after Escape');
    });
  });

  test('a touch opens it, a touch elsewhere closes it', async () => {
    await visit(FIRST, { touch: true, width: 390, height: 844 }, async (page) => {
      await page.locator('td#c8k-n2').tap();
      await saysAll(page, 'c8k-n2');
      const box = await page.locator(CARD).first().boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box));
      await page.locator('h2#decode').tap();
      await gone(page, 'after a touch elsewhere');
    });
  });

  test('other metrics have it, too', async () => {
    await visit(FIRST, {}, async (page) => {
      await choose(page, radiosOf(page, 'decode').nth(2));
      await page.locator('td#c64k-n16-ttft').hover();
      await saysAll(page, 'c64k-n16');
    });
  });

  test('a point of a chart marks its line, its cell and its row', async () => {
    await visit(FIRST, {}, async (page) => {
      const point = page.locator('section[aria-labelledby="charts"] svg .point[data-cell="c64k-n16"]').first();
      await point.hover({ force: true });
      const seen = await page.evaluate(() => ({
        others: [...document.querySelectorAll('[data-cell].on')].filter((e) => e.dataset.cell !== 'c64k-n16').length,
        cell: document.querySelector('td#c64k-n16').classList.contains('on'),
        row: document.querySelector('#m-c64k-n16').classList.contains('on'),
        lines: [...document.querySelectorAll('svg g.line.on')].map((g) => g.dataset.context),
      }));
      assert.ok(seen.cell && seen.row && seen.others === 0, JSON.stringify(seen));
      assert.ok(seen.lines.length > 0 && seen.lines.every((context) => context === '64K'), JSON.stringify(seen));
    });
  });
});

describe('the address leads to a cell', () => {
  const shows = async (page, id, metric) => {
    const cell = page.locator(`[id="${id}"]`);
    await cell.waitFor({ timeout: 2000 });
    assert.deepEqual(await shownMetrics(page, 'decode'), [metric]);
    const box = await cell.boundingBox();
    assert.ok(box.y > -1 && box.y < 800, `${id} is in the window, ${JSON.stringify(box)}`);
  };
  test('of a metric that is hidden', async () => {
    await visit(`${FIRST}#c64k-n16-ttft`, {}, async (page) => {
      await shows(page, 'c64k-n16-ttft', '-ttft');
      await page.evaluate(() => (location.hash = '#c64k-n8-itl'));
      await shows(page, 'c64k-n8-itl', '-itl');
      await page.goBack();
      await shows(page, 'c64k-n16-ttft', '-ttft');
      await page.evaluate(() => (location.hash = '#c64k-n16'));
      await shows(page, 'c64k-n16', '');
    });
  });
  test('of the metric that is shown', async () => {
    await visit(`${FIRST}#c64k-n16`, {}, async (page) => shows(page, 'c64k-n16', ''));
  });
  test('links to cells within the page show them', async () => {
    await visit(FIRST, {}, async (page) => {
      const links = await page.evaluate(() => [...document.querySelectorAll('main a[href^="#c"], main a[href^="#p"], main a[href^="#m-"]')].map((a) => a.getAttribute('href').slice(1)));
      assert.ok(links.length > 3, `${links.length} links`);
      for (const id of new Set(links)) {
        await page.evaluate((id) => (location.hash = id), id);
        assert.ok(await page.locator(`[id="${id}"]`).isVisible(), id);
      }
    });
  });
});

describe('dark and light', () => {
  const ground = (page) =>
    page.evaluate(() => {
      const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/[\d.]+/g).map(Number);
      return r * 0.3 + g * 0.6 + b * 0.1 > 128 ? 'light' : 'dark';
    });
  /** Works the switch until the page is as wanted: a button (pressed up to three times), radio inputs, or a select. */
  async function turn(page, wanted) {
    const named = /dark|light|theme|appearance|colou?r/i;
    const area = page.locator('header, footer');
    const select = area.getByRole('combobox', { name: named });
    const radio = area.getByRole('radio', { name: new RegExp(wanted, 'i') });
    const button = area.getByRole('button', { name: named });
    if (await select.count()) await select.first().selectOption({ label: wanted[0].toUpperCase() + wanted.slice(1) });
    else if (await radio.count()) await choose(page, radio.first());
    else {
      assert.ok(await button.count(), 'there is a switch');
      const exact = area.getByRole('button', { name: new RegExp(`^${wanted}$`, 'i') });
      for (let i = 0; i < 3 && (await ground(page)) !== wanted; i += 1) await ((await exact.count()) ? exact : button).first().click();
    }
    assert.equal(await ground(page), wanted);
  }
  for (const [system, wanted] of [['light', 'dark'], ['dark', 'light']]) {
    test(`follow the system (${system}); the switch to ${wanted} is remembered`, async () => {
      await visit(FIRST, { scheme: system }, async (page) => {
        assert.equal(await ground(page), system);
        await turn(page, wanted);
        await page.reload();
        assert.equal(await ground(page), wanted, 'after loading again');
        for (const path of ['', PAGES.prose]) {
          await page.goto(cases.url + path);
          assert.equal(await ground(page), wanted, `on another page, ${path}`);
        }
        await turn(page, system);
      });
    });
  }
  test('a scheme that was chosen does not break the other promises', async () => {
    await visit(SECOND, { scheme: 'light' }, async (page) => {
      await turn(page, 'dark');
      none(await axe(page), 'axe in dark, chosen');
    });
  });
});

test('who wants less motion gets none', async () => {
  for (const name of ['index', 'run-first-report', 'prose']) {
    await visit(cases.url + PAGES[name], { reducedMotion: 'reduce' }, async (page) => {
      const moving = await page.evaluate(() => {
        const long = (times) => times.split(',').some((t) => parseFloat(t) * (t.trim().endsWith('ms') ? 1 : 1000) > 10);
        const bad = [];
        for (const e of document.querySelectorAll('*')) {
          for (const part of [null, '::before', '::after']) {
            const s = getComputedStyle(e, part);
            if (long(s.transitionDuration) || (s.animationName !== 'none' && long(s.animationDuration)) || s.scrollBehavior === 'smooth') bad.push(`${e.tagName} ${e.getAttribute('class') ?? ''} ${part ?? ''}`);
          }
        }
        return bad;
      });
      none([...new Set(moving)], name);
    });
  }
});

describe('the policy of the pages', () => {
  const files = async (folder) => (await readdir(folder, { recursive: true, withFileTypes: true })).filter((e) => e.isFile() && e.name.endsWith('.html')).map((e) => join(e.parentPath, e.name));
  test('stands in every page before anything is loaded, without unsafe-inline and unsafe-eval', async () => {
    let pages = 0;
    for (const where of [cases, demo]) {
      for (const file of await files(where.output)) {
        const html = await readFile(file, 'utf8');
        const [meta, policy] = html.match(/<meta http-equiv="Content-Security-Policy" content="([^"]*)">/i) ?? [];
        assert.ok(meta, `no policy in ${file}`);
        assert.ok(html.indexOf(meta) < html.search(/<link|<script|<style/i) || html.search(/<link|<script|<style/i) < 0, file);
        assert.doesNotMatch(policy, /unsafe|\*|https?:|blob:/, file);
        for (const directive of ["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data:", "connect-src 'self'"]) assert.ok(policy.includes(directive), `${directive} in ${file}`);
        pages += 1;
      }
    }
    assert.ok(pages > 20, `${pages}`);
  });
  test('nothing in the pages needs what it forbids', async () => {
    for (const where of [cases, demo]) {
      for (const file of await files(where.output)) {
        const html = (await readFile(file, 'utf8')).replace(/<!--[\s\S]*?-->/g, '');
        const bad = [];
        for (const [tag] of html.matchAll(/<[a-z][^<>]*>/gi)) {
          const attributes = tag.replace(/"[^"]*"|'[^']*'/g, '""');
          if (/\sstyle=/i.test(attributes)) bad.push(tag.slice(0, 100));
          if (/\son[a-z]+=/i.test(attributes)) bad.push(tag.slice(0, 100));
          if (/^<style/i.test(tag)) bad.push(tag);
          if (/^<script/i.test(tag) && !/\ssrc=/i.test(tag) && !/type="application\/(ld\+)?json"/i.test(tag)) bad.push(tag);
        }
        none(bad, file);
      }
    }
  });
  test('a script that gets into the page does not run', async () => {
    await visit(FIRST, { expect: [/script-src|Content Security Policy/] }, async (page) => {
      const ran = await page.evaluate(async () => {
        const seen = [];
        document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective));
        const script = document.createElement('script');
        script.textContent = 'window.injected = true';
        document.body.append(script);
        const image = document.createElement('div');
        image.innerHTML = '<img src="data:," onerror="window.injected = true">';
        document.body.append(image);
        await new Promise((r) => setTimeout(r, 200));
        return { injected: 'injected' in window, seen };
      });
      assert.equal(ran.injected, false);
      assert.ok(ran.seen.some((directive) => directive.startsWith('script-src')), `${ran.seen}`);
    });
  });
  test('names that look like markup stay text', async () => {
    await visit(cases.url + MORE_PAGES['run-markup-name'], {}, async (page) => {
      assert.ok((await page.locator('h1').innerText()).includes(HOSTILE.markup.slice(0, 40)));
      assert.equal(await page.locator('main script:not([src]), main img').count(), 0);
      assert.notEqual(await page.title(), 'run');
    });
    await visit(cases.url, {}, async (page) => assert.ok((await page.locator('main').innerText()).includes(HOSTILE.markup.slice(0, 40))));
  });
});

describe('sizes before compression', () => {
  test('the page of an 8 × 6 matrix is under 150 kB', async () => {
    for (const name of ['run-first-report', 'run-second-report']) {
      const { size } = await stat(join(cases.output, PAGES[name], 'index.html'));
      console.log(`${name}: ${size} bytes of HTML`);
      assert.ok(size < 150_000, `${name}: ${size}`);
    }
  });
  test('all CSS and JavaScript of the theme is under 60 kB', async () => {
    const sources = (await readdir(join(root, 'themes/default/static'))).filter((name) => /\.(css|js)$/.test(name));
    const published = await readdir(cases.output);
    let sum = 0;
    for (const name of sources) {
      const [, stem, ending] = name.match(/^(.*)\.(css|js)$/);
      const found = published.find((file) => file.startsWith(`${stem}.`) && file.endsWith(`.${ending}`));
      assert.ok(found, `${name} is on the site`);
      const { size } = await stat(join(cases.output, found));
      console.log(`${found}: ${size} bytes`);
      sum += size;
    }
    console.log(`together: ${sum} bytes`);
    assert.ok(sum < 60_000, `${sum}`);
  });
});
