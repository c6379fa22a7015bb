// The front page in a browser: search, filters, counts, sorting, the state in the address, picks,
// by keyboard alone, without JavaScript, from a host and from a disk.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const root = resolve(import.meta.dirname, '../..');
const gen = process.env.GEN ?? join(root, 'target/release/gen');
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const RUNS = 230;

/** The run of this number; every eleventh lacks a date, every seventh a total. */
function run(n) {
  const cell = (concurrency, total, status = 'valid') => ({ context_label: '8K', context_tokens: 8192, concurrency, status, ...(total ? { total_tok_per_s: total } : {}) });
  return {
    schema: 'speedbook.run/1',
    slug: n === 5 ? 'groß/r-5' : `r${n}`,
    title: `Run ${n}`,
    ...(n % 11 ? { measured_at: new Date(Date.UTC(2026, 0, n, 12)).toISOString().slice(0, 19) + 'Z' } : {}),
    tags: n % 2 ? ['odd'] : [],
    model: { name: ['Alpha', 'Beta', 'Gamma'][n % 3] },
    hardware: { gpu: ['B200', 'H200 SXM'][n % 2], gpu_count: [1, 2, 4, 8][n % 4] },
    engine: { name: ['vllm', 'sglang'][Number(n % 5 === 0)], version: `0.${n}`, quantization: ['FP8', 'INT4'][Number(n % 4 === 0)] },
    launch_command: `vllm serve a/b --max-model-len 4096${n % 3 ? '' : ' --enable-prefix-caching'}${n % 10 ? '' : ' --speculative-config \'{"method":"mtp","num_speculative_tokens":2}\''}`,
    prefill: [],
    burst: [],
    decode: n % 7 ? [cell(1, 10 + n), cell(8, 100.25 + ((n * 37) % RUNS), n % 6 ? 'valid' : 'queued')] : [cell(1, 0, 'failed')],
  };
}
const runs = Array.from({ length: RUNS }, (_, at) => run(at + 1));
const highest = (of) => of.decode.reduce((most, cell) => Math.max(most, cell.total_tok_per_s ?? 0), 0) || null;

let work, server, home, browser;

before(async () => {
  work = await mkdtemp(join(tmpdir(), 'speedbook-index-'));
  await mkdir(join(work, 'content/runs'), { recursive: true });
  for (const [at, of] of runs.entries()) await writeFile(join(work, `content/runs/${at}.json`), JSON.stringify(of));
  for (const [folder, more] of [['host', []], ['disk', ['--portable']]]) {
    await promisify(execFile)(gen, ['build', '--quiet', '--output', join(work, folder), ...more], { cwd: work });
  }
  server = createServer(async (request, response) => {
    let path = decodeURIComponent(new URL(request.url, 'http://localhost').pathname);
    if (path.endsWith('/')) path += 'index.html';
    const kind = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' }[path.split('.').pop()];
    const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'";
    try {
      const bytes = await readFile(join(work, 'host', path));
      response.writeHead(200, { 'content-type': kind ?? 'text/plain', 'content-security-policy': policy });
      response.end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  }).listen(0);
  await new Promise((done) => server.once('listening', done));
  home = `http://localhost:${server.address().port}/`;
  browser = await chromium.launch({ executablePath, args: flags });
});
after(async () => {
  await browser?.close();
  server?.close();
});

/** A page of the site; what goes wrong on it fails the test. With `compare`, the site can compare. */
async function open(t, address, { compare = false, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  const wrong = [];
  page.on('pageerror', (error) => wrong.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  t.after(() => assert.deepEqual(wrong, []));
  if (compare) {
    await page.route((url) => /\/(index\.html)?$/.test(url.pathname), async (route) => {
      const text = (await readFile(join(work, 'host/index.html'), 'utf8')).replace('hidden data-runs', 'hidden data-compare="compare/" data-runs');
      await route.fulfill({ body: text, contentType: 'text/html' });
    });
  }
  await page.goto(address);
  return page;
}

/** Rows below the screen come a little later. */
const settled = (page) => page.locator('table.runs:not([aria-busy=true])').waitFor();
async function titles(page) {
  await settled(page);
  return page.locator('table.runs tbody th a').allTextContents();
}
const found = (page) => page.locator('form.filters [role=status]');
const names = (list) => list.map((of) => of.title);
const newest = [...runs].sort((a, b) => (b.measured_at ?? '').localeCompare(a.measured_at ?? '') || a.title.toLowerCase().localeCompare(b.title.toLowerCase()));

async function shows(page, expected) {
  await page.waitForFunction((n) => document.querySelector('form.filters [role=status]').textContent.startsWith(`${n} `), expected.length);
  assert.deepEqual(await titles(page), names(expected).slice(0, 100));
}

for (const where of ['a host', 'a disk']) {
  const address = (query = '') => (where === 'a host' ? home : pathToFileURL(join(work, 'disk/index.html')).href) + query;

  test(`search and filters find the runs, from ${where}`, async (t) => {
    const page = await open(t, address());
    assert.deepEqual(await titles(page), names(newest).slice(0, 100));
    const search = page.getByRole('searchbox', { name: 'Search runs' });
    await search.fill('  beta   PREFIX-caching ');
    await shows(page, newest.filter((of) => of.model.name === 'Beta' && of.launch_command.includes('prefix')));
    await search.fill('h200 0.2');
    await shows(page, newest.filter((of) => of.hardware.gpu === 'H200 SXM' && of.engine.version.includes('0.2')));
    await search.fill('nothing has this');
    await page.getByText('No run has all of this.').waitFor();
    assert.equal(await found(page).textContent(), `0 of ${RUNS} runs`);
    await search.fill('');
    await page.waitForFunction(() => document.querySelectorAll('table.runs tbody tr').length === 100);
    assert.deepEqual(await titles(page), names(newest).slice(0, 100));

    for (const [label, value, keep] of [
      ['Model', 'Gamma', (of) => of.model.name === 'Gamma'],
      ['GPU', 'B200', (of) => of.hardware.gpu === 'B200'],
      ['Number of GPUs', '4', (of) => of.hardware.gpu_count === 4],
      ['Engine', 'sglang', (of) => of.engine.name === 'sglang'],
      ['Quantization', 'INT4', (of) => of.engine.quantization === 'INT4'],
      ['Speculation', 'mtp, 2 tokens', (of) => of.launch_command.includes('mtp')],
      ['Tag', 'odd', (of) => of.tags.includes('odd')],
    ]) {
      const select = page.getByRole('combobox', { name: label, exact: true });
      await select.selectOption(value);
      const kept = newest.filter(keep);
      await shows(page, kept);
      assert.equal(await found(page).textContent(), `${kept.length} of ${RUNS} runs`, label);
      assert.equal(await select.locator('option:checked').textContent(), `${value} (${kept.length})`);
      await page.getByRole('button', { name: 'Clear' }).click();
      await shows(page, newest);
    }
  });

  test(`the address keeps what was chosen, from ${where}`, async (t) => {
    const page = await open(t, address());
    await page.getByRole('combobox', { name: 'Model' }).selectOption('Gamma');
    await page.getByRole('searchbox').fill('fp8');
    await page.getByRole('button', { name: 'Highest total' }).click();
    const kept = runs.filter((of) => of.model.name === 'Gamma' && of.engine.quantization === 'FP8');
    const expected = newest.filter((of) => kept.includes(of)).sort((a, b) => (highest(a) === null) - (highest(b) === null) || highest(b) - highest(a));
    await shows(page, expected);
    assert.equal(new URL(page.url()).search, '?q=fp8&model=Gamma&sort=total&dir=desc');
    await page.reload();
    await shows(page, expected);
    await page.locator('table.runs tbody th a').first().click();
    await page.waitForURL(/runs/);
    await page.goBack();
    await shows(page, expected);
    assert.equal(await page.getByRole('searchbox').inputValue(), 'fp8');
    // What nobody has is as if it were not there.
    await page.goto(address('?model=Nobody&sort=nothing'));
    assert.deepEqual(await titles(page), names(newest).slice(0, 100));
  });
}

test('each choice tells how many runs it would leave', async (t) => {
  const page = await open(t, home);
  const options = (label) => page.getByRole('combobox', { name: label, exact: true }).locator('option').allTextContents();
  const counts = (label, key, of) => {
    const values = [...new Set(runs.map(key))].sort((a, b) => String(a).localeCompare(String(b), 'en', { numeric: true }));
    return [label, ...values.map((value) => `${value} (${of.filter((other) => key(other) === value).length})`)];
  };
  const [model, gpu] = [(of) => of.model.name, (of) => of.hardware.gpu];
  assert.deepEqual(await options('Model'), counts('Model', model, runs));
  await page.getByRole('combobox', { name: 'Model' }).selectOption('Alpha');
  await page.getByRole('combobox', { name: 'GPU', exact: true }).selectOption('B200');
  await page.getByRole('searchbox').fill('vllm');
  const named = runs.filter((of) => of.engine.name === 'vllm');
  await page.waitForFunction(() => /^\d+ of/.test(document.querySelector('form.filters [role=status]').textContent));
  assert.deepEqual(await options('Model'), counts('Model', model, named.filter((of) => gpu(of) === 'B200')));
  assert.deepEqual(await options('GPU'), counts('GPU', gpu, named.filter((of) => model(of) === 'Alpha')));
  assert.deepEqual(await options('Number of GPUs'), counts('Number of GPUs', (of) => of.hardware.gpu_count, named.filter((of) => gpu(of) === 'B200' && model(of) === 'Alpha')));
});

test('every column sorts both ways, with what is absent last', async (t) => {
  const page = await open(t, home);
  const by = {
    'Highest total': highest,
    'One request': (of) => of.decode[0].total_tok_per_s ?? null,
    'per GPU': (of) => highest(of) === null ? null : highest(of) / of.hardware.gpu_count,
    Measured: (of) => of.measured_at ? Date.parse(of.measured_at) : null,
  };
  for (const [label, value] of Object.entries(by)) {
    const head = page.locator('thead th', { hasText: label });
    for (let clicks = 0; clicks < 2; clicks++) {
      await head.getByRole('button').click();
      await page.waitForFunction(() => document.querySelector('table.runs caption').textContent.startsWith('By') || document.querySelector('[data-key=measured]').ariaSort === 'descending');
      const way = await head.getAttribute('aria-sort');
      const sign = way === 'ascending' ? 1 : -1;
      const expected = [...newest].sort((a, b) => (value(a) === null) - (value(b) === null) || sign * (value(a) - value(b)) || 0);
      assert.deepEqual(await titles(page), names(expected).slice(0, 100), `${label} ${way}`);
      assert.equal(await page.locator('[aria-sort]').count(), 1);
    }
  }
  // Absent ones are last in both directions.
  await page.goto(`${home}?sort=total&dir=asc`);
  for (let shown = 200; shown <= RUNS + 100; shown += 100) {
    await page.getByRole('button', { name: /^Show \d+ more$/ }).click();
  }
  const last = page.locator('table.runs tbody tr').last();
  assert.match(await last.textContent(), /^Run \d*/);
  assert.equal(await page.locator('table.runs tbody tr').count(), RUNS);
  const without = runs.filter((of) => highest(of) === null).length;
  assert.deepEqual((await page.locator('table.runs tbody tr td:nth-child(5)').allTextContents()).slice(-without), Array(without).fill('—'));
});

test('rows of the script are those of the page', async (t) => {
  const page = await open(t, home);
  const rows = () => page.locator('table.runs tbody').evaluate((body) => [...body.rows].map((row) => row.outerHTML.replace(/\s+/g, ' ')));
  const before = await rows();
  await page.getByRole('searchbox').fill('run');
  await page.waitForFunction(() => document.querySelector('table.runs caption').textContent.startsWith('By'));
  await settled(page);
  const scripted = await rows();
  assert.equal(before.length, scripted.length);
  const paths = (html) => html.replace(/(<path[^>]*><\/path>)+/, (all) => all.match(/<path[^>]*>/g).sort().join(''));
  for (const [at, row] of before.entries()) assert.equal(paths(scripted[at]), paths(row));
});

test('picks stay through filters and in the address', async (t) => {
  const page = await open(t, home, { compare: true });
  assert.match(await page.locator('.summary').textContent(), /Pick two or more to compare them\.$/);
  await page.getByRole('checkbox', { name: 'Pick Run 230 to compare' }).check();
  const bar = page.getByRole('region', { name: 'Picked runs' });
  assert.match(await bar.textContent(), /1 run picked/);
  assert.equal(await bar.getByRole('link').count(), 0);
  await page.getByRole('searchbox').fill('groß');
  await page.getByRole('checkbox', { name: 'Pick Run 5 to compare' }).check();
  assert.equal(await bar.getByRole('link').getAttribute('href'), 'compare/?runs=r230,gro%C3%9F%2Fr-5');
  await page.getByRole('button', { name: 'Clear' }).first().click();
  assert.ok(await page.getByRole('checkbox', { name: 'Pick Run 230 to compare' }).isChecked());
  await page.reload();
  assert.match(await bar.textContent(), /2 runs picked/);
  await bar.getByRole('button', { name: 'Clear' }).click();
  await bar.waitFor({ state: 'hidden' });
  assert.ok(!(await page.getByRole('checkbox', { name: 'Pick Run 230 to compare' }).isChecked()));
  assert.equal(new URL(page.url()).search, '');
});

test('the keyboard is enough', async (t) => {
  const page = await open(t, home, { compare: true });
  const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent.trim());
  const tabTo = async (label) => {
    for (let presses = 0; presses < 40; presses++) {
      await page.keyboard.press('Tab');
      if ((await focused()).startsWith(label)) return;
    }
    assert.fail(`no way to ${label}`);
  };
  await tabTo('Search runs');
  await page.keyboard.type('alpha');
  await shows(page, newest.filter((of) => of.model.name === 'Alpha'));
  await tabTo('Engine');
  await page.keyboard.type('sg');
  await shows(page, newest.filter((of) => of.model.name === 'Alpha' && of.engine.name === 'sglang'));
  await tabTo('One request');
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('[data-key=one]').getAttribute('aria-sort'), 'descending');
  for (let picks = 0; picks < 2; picks++) {
    await tabTo('Pick Run');
    await page.keyboard.press('Space');
  }
  assert.match(await page.getByRole('region', { name: 'Picked runs' }).textContent(), /2 runs picked/);
  for (let presses = 0; (await focused()) !== 'Compare'; presses++) {
    assert.ok(presses < 300, 'the bar is in the tab order');
    await page.keyboard.press('Tab');
  }
});

test('without JavaScript the page is whole', async (t) => {
  const page = await open(t, home, { javaScriptEnabled: false });
  assert.deepEqual(await titles(page), names(newest).slice(0, 100));
  assert.ok(!(await page.locator('form.filters').isVisible()));
  assert.equal(await page.locator('thead button, input:visible, select:visible').count(), 0);
  await page.getByRole('link', { name: 'Older runs' }).click();
  const older = [];
  for (;;) {
    older.push(...(await titles(page)));
    const next = page.getByRole('link', { name: 'Older runs' });
    if (!(await next.count())) break;
    await next.click();
  }
  assert.deepEqual(older, names(newest).slice(30), 'page 2 has the newest of the older ones');
});

test('nothing is wider than the page', async (t) => {
  for (const width of [320, 390, 1280]) {
    const page = await open(t, `${home}?q=run`, { compare: true, viewport: { width, height: 800 } });
    await page.waitForFunction(() => document.querySelector('table.runs caption').textContent.startsWith('By'));
    const [inner, scroll] = await page.evaluate(() => [innerWidth, document.documentElement.scrollWidth]);
    assert.ok(scroll <= inner, `${scroll} at ${width}`);
    const small = await page.evaluate(() => [...document.querySelectorAll('main a, main button, main input, main select, main label')].filter((node) => {
      const box = (node.closest('label') ?? node).getBoundingClientRect();
      return box.width > 0 && !node.matches('th a') && (box.width < 24 || box.height < 24);
    }).map((node) => node.outerHTML));
    assert.deepEqual(small, []);
  }
});
