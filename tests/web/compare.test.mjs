// Pages that compare runs: without JavaScript, and from picks on the front page.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { quit, visit } from './browser.mjs';
import { PAGES, finish, site } from './sites.mjs';

after(async () => {
  await quit();
  await finish();
});

const cases = await site('cases');
const COMPARE = cases.url + PAGES.compare;

test('without JavaScript each metric of the ratios is shown by a radio button, by mouse and keyboard', async () => {
  await visit(COMPARE, { javascript: false }, async (page) => {
    const radios = page.locator('section[aria-labelledby=decode] .tabs input');
    const labels = page.locator('section[aria-labelledby=decode] .tabs label');
    const shown = () => page.locator('section[aria-labelledby=decode] .panel:visible h3').allTextContents();
    assert.equal(await radios.count(), 5);
    const seen = [];
    for (let i = 0; i < 5; i += 1) {
      await labels.nth(i).click();
      const panels = await shown();
      assert.equal(panels.length, 1);
      seen.push(panels[0]);
    }
    assert.equal(new Set(seen).size, 5, `${seen}`);
    await labels.first().click();
    await radios.first().focus();
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await shown(), [seen[1]]);
    assert.match(await page.locator('main').innerText(), /Not a controlled comparison/);
  });
});

test('every state and every direction is said in words', async () => {
  await visit(COMPARE, {}, async (page) => {
    const cells = await page.locator('.panel').first().locator('.matrix td').allInnerTexts();
    const bare = cells.filter((text) => !/faster|slower|no clear difference|over capacity|queued|only in|not measured|—/.test(text));
    assert.deepEqual(bare, []);
    const legend = await page.locator('.legend').first().innerText();
    assert.match(legend, /Lost/);
    assert.match(legend, /Queued/);
  });
});

test('two runs that are picked lead to the page of their comparison', async () => {
  await visit(cases.url, {}, async (page) => {
    for (const name of ['397B', '122B']) await page.getByRole('checkbox', { name: new RegExp(name) }).check();
    await page.locator('.picked a').click();
    await page.waitForURL(/compare\/(report-1-vs-report-2|reports)\//, { timeout: 5000 });
    assert.match(await page.locator('h1').innerText(), /2\.71 times/);
  });
});

test('picks that no page compares are named', async () => {
  await visit(`${cases.url}compare/?runs=report-1,hostile-rtl,no-such`, {}, async (page) => {
    const picked = page.locator('section', { hasText: 'The runs that you picked' });
    assert.match(await picked.innerText(), /No page compares report-1, no-such\./);
  });
});
