// Lighthouse as it comes (a mid-range phone on a slow network), on the front page and on a run's page.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import * as chromeLauncher from 'chrome-launcher';
import lighthouse from 'lighthouse';
import { FLAGS, executablePath } from './browser.mjs';
import { finish, site } from './sites.mjs';

const demo = await site('demo');
const chrome = await chromeLauncher.launch({ chromePath: executablePath, chromeFlags: ['--headless', ...FLAGS], logLevel: 'silent' });
after(async () => {
  await chrome.kill();
  await finish();
});

const PAGES = { index: '', 'run page': 'runs/qwen3.5-397b-a17b-nvfp4-4x-h200-sxm/' };
const FULL = ['accessibility', 'best-practices', 'seo'];

async function look(path, onlyCategories) {
  const { lhr } = await lighthouse(demo.url + path, { port: chrome.port, output: 'json', logLevel: 'error', onlyCategories });
  assert.equal(lhr.runtimeError, undefined, JSON.stringify(lhr.runtimeError));
  return lhr;
}

for (const [name, path] of Object.entries(PAGES)) {
  test(`${name}: 100 for accessibility, best practices and SEO`, { timeout: 240_000 }, async () => {
    const first = await look(path, [...FULL, 'performance']);
    const performance = [first];
    for (let i = 0; i < 2; i += 1) performance.push(await look(path, ['performance']));
    const scores = performance.map((lhr) => Math.round(lhr.categories.performance.score * 100)).sort((a, b) => a - b);
    console.log(`${name}: performance ${scores[1]} (median of ${scores.join(', ')}; the aim is 97)`);
    for (const category of FULL) {
      const { score, auditRefs } = first.categories[category];
      const lost = auditRefs.map(({ id, weight }) => ({ ...first.audits[id], weight })).filter((a) => a.weight > 0 && a.score !== null && a.score < 1);
      console.log(`${name}: ${category} ${score * 100}`);
      assert.equal(score, 1, `${category}: ${lost.map((a) => `${a.title} (${JSON.stringify(a.details?.items ?? []).slice(0, 500)})`).join('; ')}`);
    }
  });
}
