// What JavaScript adds: search, filters, sorting, copying, sliders, and what of it the address keeps.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { quit, visit } from './browser.mjs';
import { HOSTILE, PAGES, finish, site } from './sites.mjs';

after(async () => {
  await quit();
  await finish();
});

const cases = await site('cases');
const FIRST = cases.url + PAGES['run-first-report'];
/** Tries until it holds, for at most two seconds. */
async function soon(what, message) {
  for (let i = 0; i < 40; i += 1) {
    if (await what()) return;
    await new Promise((r) => setTimeout(r, 50));
  }
  assert.fail(message);
}
const seen = (page, title) => page.locator('main').getByRole('link', { name: title }).first().isVisible();

describe('the list of runs', () => {
  for (const touch of [false, true]) {
    test(`search as one types, kept in the address, ${touch ? 'by touch' : 'by keyboard'}`, async () => {
      await visit(cases.url, { touch, ...(touch ? { width: 390, height: 844 } : {}) }, async (page) => {
        const search = page.getByRole('searchbox').first();
        await (touch ? search.tap() : search.focus());
        await page.keyboard.type('397b');
        await soon(async () => (await seen(page, '397B')) && !(await seen(page, '122B')), 'only what was searched for is shown');
        await soon(() => page.url().toLowerCase().includes('397b'), `the address keeps it: ${page.url()}`);
        await page.goto(page.url());
        await page.reload();
        await soon(async () => (await page.getByRole('searchbox').first().inputValue()) === '397b' && (await seen(page, '397B')) && !(await seen(page, '122B')), 'the address brings it back');
        await page.getByRole('searchbox').first().fill('');
        await soon(() => seen(page, '122B'), 'all are back');
      });
    });
  }
  test('what is searched for is text, not markup or a pattern', async () => {
    await visit(cases.url, {}, async (page) => {
      for (const text of ['<script>', '(', '[', '\\', '.*', HOSTILE.rtl, '👩‍👩‍👧‍👦', 'zzzz-nothing']) {
        await page.getByRole('searchbox').first().fill(text);
        await page.waitForTimeout(80);
      }
      assert.ok(!(await seen(page, '122B')), 'nothing is found');
    });
  });
  test('a filter with counts narrows the list', async () => {
    await visit(cases.url, {}, async (page) => {
      const option = page.locator('main').getByText(/H200 NVL\s*\(?1\)?/).first();
      await page.getByRole('searchbox').first().focus();
      for (const summary of await page.locator('main summary').all()) if (await summary.isVisible()) await summary.click();
      const box = page.getByRole('checkbox', { name: /H200 NVL/ });
      const select = page.getByRole('combobox', { name: /GPU|hardware/i });
      if (await box.count()) await box.first().check();
      else if (await select.count()) {
        const value = await select.first().locator('option', { hasText: 'H200 NVL' }).first().getAttribute('value');
        await select.first().selectOption(value ?? { label: 'H200 NVL' });
      } else if (await page.getByRole('button', { name: /H200 NVL/ }).count()) await page.getByRole('button', { name: /H200 NVL/ }).first().click();
      else assert.fail(`no filter of H200 NVL (${await option.count()})`);
      await soon(async () => (await seen(page, '122B')) && !(await seen(page, '397B')), 'only runs of that GPU');
      await soon(() => /H200/i.test(decodeURIComponent(page.url())), `the address keeps it: ${page.url()}`);
    });
  });
  test('any column sorts, by raw values', async () => {
    await visit(cases.url, {}, async (page) => {
      const heads = page.locator('main thead th').filter({ has: page.getByRole('button') });
      assert.ok((await heads.count()) >= 3, `${await heads.count()} columns with a button`);
      for (const head of await heads.all()) {
        const button = head.getByRole('button');
        await button.focus();
        await page.keyboard.press('Enter');
        await soon(async () => /ascending|descending/.test((await head.getAttribute('aria-sort')) ?? ''), `aria-sort of ${await button.innerText()}`);
      }
    });
  });
});

test('all measurements are sorted by a press on a head, on raw values', async () => {
  await visit(FIRST, {}, async (page) => {
    const table = page.locator('section[aria-labelledby="measurements"] table');
    const head = table.locator('thead th', { hasText: 'Total tok/s' });
    const column = await head.evaluate((th) => th.cellIndex);
    await head.getByRole('button').click();
    const values = () => table.locator('tbody tr').evaluateAll((rows, column) => rows.map((r) => parseFloat(r.cells[column].textContent.replaceAll(',', ''))).filter((v) => !Number.isNaN(v)), column);
    const first = await values();
    const sorted = [...first].sort((a, b) => a - b);
    assert.ok(JSON.stringify(first) === JSON.stringify(sorted) || JSON.stringify(first) === JSON.stringify(sorted.toReversed()), `${first.slice(0, 12)}`);
    assert.match(await head.getAttribute('aria-sort'), /ascending|descending/);
    await head.getByRole('button').click();
    assert.deepEqual(await values(), first.toReversed(), 'and the other way');
  });
});

test('the launch command is copied, and a screen reader is told', async () => {
  await visit(FIRST, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
    const section = page.locator('section[aria-labelledby="launch"]');
    await section.getByRole('button', { name: /copy/i }).first().click();
    await soon(() => page.evaluate(() => navigator.clipboard.readText().then((t) => t.includes('serve nvidia/Qwen3.5-397B-A17B-NVFP4-V2'))), 'the command is on the clipboard');
    const text = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(text, /--speculative-config '\{"method"/);
    await soon(async () => /copied/i.test((await page.locator('[role=status], [aria-live]').allInnerTexts()).join(' ')), 'a status says that it was copied');
  });
});

describe('what can I serve?', () => {
  const answer = (page) => page.locator('section[aria-labelledby="serve"]').innerText();
  test('sliders set a budget of one’s own, kept in the address', async () => {
    await visit(FIRST, {}, async (page) => {
      const sliders = page.locator('section[aria-labelledby="serve"]').getByRole('slider');
      assert.equal(await sliders.count(), 2, 'sliders');
      const before = await answer(page);
      await sliders.first().focus();
      for (let i = 0; i < 5; i += 1) await page.keyboard.press('ArrowLeft');
      await sliders.nth(1).focus();
      for (let i = 0; i < 3; i += 1) await page.keyboard.press('ArrowRight');
      await soon(() => /#.*ttft=\d+.*each=\d+/.test(page.url()), `the address keeps it: ${page.url()}`);
      const after = await answer(page);
      assert.notEqual(after, before);
      const values = await sliders.evaluateAll((list) => list.map((s) => s.value));
      await page.reload();
      assert.deepEqual(await sliders.evaluateAll((list) => list.map((s) => s.value)), values, 'after loading again');
      assert.equal(await answer(page), after);
    });
  });
  test('an address with nonsense does no harm', async () => {
    for (const hash of ['#ttft=2000&each=20', '#ttft=-1&each=1e99', '#ttft=abc&each=', '#%E0%A4%A', '#ttft=<b>']) {
      await visit(FIRST + hash, {}, async (page) => assert.ok(await page.locator('h1').isVisible(), hash));
    }
  });
});
