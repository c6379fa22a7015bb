// The run page in a browser: the sliders of "What can I serve?", "Copy" of the launch command, the
// sorting of all measurements; and all of them without JavaScript.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../..');
const gen = process.env.GEN ?? join(root, 'target/release/gen');
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'";
const TYPES = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript', '.svg': 'image/svg+xml' };

const work = await mkdtemp(join(tmpdir(), 'speedbook-serve-'));
const output = join(work, 'public');
for (const part of ['content', 'site.toml']) await cp(join(root, part), join(work, part), { recursive: true });
const toml = await readFile(join(work, 'site.toml'), 'utf8');
await writeFile(join(work, 'site.toml'), `${toml}\n[prices]\n"H200 SXM" = 3.5\n`);
await run(gen, ['build', '--quiet', '--portable', '--root', work, '--output', output]);

const server = createServer(async (request, response) => {
  const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
  const file = join(output, path.endsWith('/') ? `${path}index.html` : path);
  response.setHeader('content-security-policy', CSP);
  response.setHeader('content-type', TYPES[extname(file)] ?? 'text/plain');
  response.end(await readFile(file).catch(() => 'missing'));
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const origin = `http://127.0.0.1:${server.address().port}`;
const A = 'runs/qwen3.5-397b-a17b-nvfp4-4x-h200-sxm/';
const B = 'runs/qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl/';

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
after(async () => {
  await browser.close();
  server.close();
});

/** Opens a page and fails on whatever its console says. */
async function open(path, { base = `${origin}/`, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const said = [];
  page.on('console', (message) => said.push(message.text()));
  page.on('pageerror', (error) => said.push(String(error)));
  await page.goto(base + path);
  return { page, context, said };
}

/** The column of answers at a place, as the texts of its cells. */
const column = (page, at) =>
  page.$$eval('.answers tbody tr', (rows, place) => rows.map((row) => row.cells[place].textContent.trim().replace(/\s+/g, ' ')), at);
const links = (page, at) =>
  page.$$eval('.answers tbody tr', (rows, place) => rows.map((row) => row.cells[place].querySelector('a')?.getAttribute('href') ?? ''), at);

test('the same budget has the same answers, built and in the browser', async () => {
  const runs = (await readdir(join(output, 'runs'), { recursive: true })).filter((file) => file.endsWith('index.html'));
  let compared = 0;
  for (const file of runs) {
    for (const [at, hash] of [[1, '#ttft=2000&each=20'], [2, '#ttft=any&each=50'], [3, '#each=5']]) {
      const { page, context, said } = await open(`runs/${file}${hash}`);
      assert.deepEqual(await column(page, 4), await column(page, at), `${file} ${hash}`);
      assert.deepEqual(await links(page, 4), await links(page, at), `${file} ${hash}`);
      const limits = (place) => page.locator('.answers thead th').nth(place).locator('small').textContent();
      assert.equal(await limits(4), await limits(at));
      compared += (await column(page, 4)).length;
      assert.deepEqual(said, []);
      await context.close();
    }
  }
  console.log(`${compared} answers of ${runs.length} runs`);
  assert.ok(compared > 36);
});

test('the answers are those worked out by hand', async () => {
  const { page, context } = await open(A);
  assert.deepEqual(await column(page, 3), [
    '64 requests 1,646.0 tok/s in total $2.36 per M',
    '64 requests 1,579.2 tok/s in total $2.46 per M',
    '64 requests 1,512.9 tok/s in total $2.57 per M',
    '128+ requests 2,076.9 tok/s in total $1.87 per M',
    '128+ requests 1,746.8 tok/s in total $2.23 per M',
    '64 requests 920.2 tok/s in total $4.23 per M',
  ]);
  assert.equal((await links(page, 3))[0], '#c8k-n64');
  assert.match(await page.textContent('section.serve'), /4 × H200 SXM at 3\.50 USD a GPU hour, from site\.toml/);
  await context.close();
});

test('sliders move by keyboard and mouse, and the address keeps them', async () => {
  const { page, context, said } = await open(`${A}#c8k-n64`);
  const hash = () => page.evaluate(() => location.hash);
  assert.equal(await hash(), '#c8k-n64', 'an anchor stays until a slider moves');
  const ttft = page.locator('#own-ttft');
  assert.equal(await ttft.getAttribute('aria-valuetext'), '5 s');
  await page.getByLabel('TTFT, at most').focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  assert.equal(await hash(), '#ttft=2000&each=10');
  assert.equal(await ttft.getAttribute('aria-valuetext'), '2 s');
  assert.equal(await page.textContent('.own p:first-child output'), '2 s');
  const before = await column(page, 4);
  assert.equal(before[0], '4 requests 310.7 tok/s in total $12.52 per M');
  const each = page.locator('#own-each');
  const box = await each.boundingBox();
  assert.ok(box.height >= 24);
  await page.mouse.click(box.x + box.width - 3, box.y + box.height / 2);
  assert.equal(await hash(), '#ttft=2000&each=500');
  assert.equal((await column(page, 4))[0], 'none no measured cell keeps it');
  await page.keyboard.press('Home');
  assert.equal(await hash(), '#ttft=2000&each=any');
  await page.getByLabel('TTFT, at most').press('End');
  assert.equal(await hash(), '#ttft=any&each=any');
  assert.equal(await page.textContent('.answers thead th:last-child small'), 'no limit');
  await page.reload();
  assert.equal(await page.textContent('.answers thead th:last-child small'), 'no limit');
  // Another address on the same page, by a link or by hand; a limit between two steps stays exact.
  await page.evaluate(() => { location.hash = '#ttft=2304&each=20'; });
  await page.waitForFunction(() => document.querySelector('.answers thead th:last-child small').textContent === 'TTFT ≤ 2.304 s, ≥ 20 tok/s each');
  assert.equal((await column(page, 4))[3], '4 requests 276.3 tok/s in total $14.07 per M');
  for (const other of ['#ttft=x', '#ttft=', '#ttft=-1', '#c8k-n1', '#toString=1', '#ttft=5&more=1', '#']) {
    await page.evaluate((to) => { location.hash = to; }, other);
    assert.equal((await column(page, 4))[3], '4 requests 276.3 tok/s in total $14.07 per M', other);
  }
  assert.deepEqual(said, []);
  await context.close();
});

for (const [where, base] of [['a server', `${origin}/`], ['a disk', `${pathToFileURL(output).href}/`]]) {
  test(`Copy gives the command on one line, from ${where}`, async () => {
    const { page, context, said } = await open(`${A}index.html`, { base });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const copy = page.getByRole('button', { name: 'Copy' });
    const status = page.locator('section.launch [role=status]');
    await copy.click();
    await page.waitForFunction(() => document.querySelector('section.launch [role=status]').textContent === 'Copied');
    assert.equal(await page.textContent('button.copy'), 'Copied');
    const line = await page.textContent('#launch-line');
    assert.ok(!line.includes('\n'));
    assert.ok(line.includes('--api-key "$API_KEY"'), line);
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), line);
    await page.waitForFunction(() => document.querySelector('button.copy').textContent === 'Copy', null, { timeout: 4000 });
    assert.equal(await status.textContent(), '');
    // Without permission: by the keyboard, through a field of the page.
    await page.evaluate(async () => {
      await navigator.clipboard.writeText('before');
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
    });
    await copy.press('Enter');
    await page.waitForFunction(() => document.querySelector('button.copy').textContent === 'Copied');
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), line);
    assert.equal(await page.evaluate(() => document.activeElement.className), 'copy', 'the focus stays');
    // And without either, the line is there to be copied by hand.
    await page.evaluate(() => { document.execCommand = () => false; });
    await copy.click();
    await page.waitForFunction(() => String(getSelection()).includes('--api-key'));
    assert.ok(await page.locator('#launch-line').isVisible());
    assert.deepEqual(said, []);
    await context.close();
  });
}

test('a long JSON value unfolds into its keys', async () => {
  const { page, context } = await open(A);
  const method = page.locator('details.json dd').first();
  assert.ok(!(await method.isVisible()));
  await page.getByText('--speculative-config, key by key').click();
  assert.equal(await page.locator('details.json dt').first().textContent(), 'method');
  assert.equal(await method.textContent(), 'mtp');
  assert.ok(await method.isVisible());
  await context.close();
});

test('all measurements sort by mouse and keyboard, and go back', async () => {
  const { page, context, said } = await open(A);
  const order = () => page.$$eval('table.sortable tbody tr', (rows) => rows.map((row) => row.id));
  const given = await order();
  assert.equal(given.length, 55);
  assert.equal(given[0], 'm-p8k');
  const head = (name) => page.locator('table.sortable th').filter({ hasText: name });
  const values = async (name) => {
    const at = await head(name).evaluate((cell) => cell.cellIndex);
    return page.$$eval('table.sortable tbody tr', (rows, place) => rows.map((row) => row.cells[place].textContent), at);
  };
  const number = (text) => Number(text.replaceAll(',', '').replace(/K$/, 'e3'));
  await head('Prompt tok/s').getByRole('button').click();
  assert.equal(await head('Prompt tok/s').getAttribute('aria-sort'), 'ascending');
  const up = await values('Prompt tok/s');
  assert.deepEqual(up.slice(0, 7), ['6,509.0', '6,620.0', '9,769.0', '12.7K', '13.7K', '14.3K', '15K']);
  assert.ok(up.slice(7).every((text) => text === '—'));
  assert.deepEqual((await order()).slice(7), given.slice(7), 'what is absent stays as given');
  await head('Prompt tok/s').getByRole('button').press('Enter');
  assert.equal(await head('Prompt tok/s').getAttribute('aria-sort'), 'descending');
  const down = await values('Prompt tok/s');
  assert.equal(down[0], '15K');
  assert.ok(down.slice(7).every((text) => text === '—'), 'what is absent stays last');
  await page.keyboard.press('Enter');
  assert.equal(await head('Prompt tok/s').getAttribute('aria-sort'), null);
  assert.deepEqual(await order(), given);
  await head('TTFT').getByRole('button').press('Space');
  const ttft = (await values('TTFT')).map(number);
  assert.deepEqual(ttft, [...ttft].sort((a, b) => a - b));
  await head('Context').getByRole('button').click();
  assert.equal(await head('TTFT').getAttribute('aria-sort'), null);
  const contexts = await values('Context');
  assert.deepEqual([...new Set(contexts)], ['8K', '16K', '32K', '64K', '128K', '251K', '256K']);
  // Equal ones stay as given.
  const first = given.filter((id) => /^m-(p8k|c8k-)/.test(id));
  assert.deepEqual((await order()).slice(0, first.length), first);
  assert.deepEqual(said, []);
  await context.close();
});

test('the head of the table stays in sight', async () => {
  for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 760 }]) {
    const { page, context } = await open(A, { viewport });
    await page.locator('table.sortable').scrollIntoViewIfNeeded();
    const frame = page.locator('.scroll', { has: page.locator('table.sortable') });
    await frame.evaluate((element) => { element.scrollTop = 900; });
    const [top, head] = await frame.evaluate((element) => [
      element.getBoundingClientRect().top,
      element.querySelector('thead th').getBoundingClientRect().top,
    ]);
    assert.ok(Math.abs(head - top) <= 1, `${viewport.width}: ${head} at ${top}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    assert.ok(wide, 'nothing scrolls sideways');
    await context.close();
  }
});

test('nothing scrolls sideways at 320 px', async () => {
  for (const path of [A, B]) {
    const { page, context } = await open(path, { viewport: { width: 320, height: 700 } });
    await page.$$eval('details', (all) => all.forEach((details) => { details.open = true; }));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await context.close();
  }
});

test('without JavaScript the answers are there and no dead control', async () => {
  const { page, context } = await open(A, { javaScriptEnabled: false });
  assert.equal(await page.locator('.answers tbody tr').count(), 6);
  assert.equal(await page.locator('.answers thead th').count(), 4);
  for (const control of ['#own-ttft', 'button.copy', '#launch-copy']) {
    assert.ok(!(await page.locator(control).isVisible()), control);
  }
  assert.equal(await page.locator('table.sortable button').count(), 0);
  await page.getByText('On one line, for copying').click();
  assert.ok(await page.locator('#launch-line').isVisible());
  await context.close();
});
