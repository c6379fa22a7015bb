// Pictures of the pages to look at, in target/screenshots/NAME-WIDTH-SCHEME.png. A test only so far
// as every page opens without a complaint.
import assert from 'node:assert/strict';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SCHEMES, quit, visit } from './browser.mjs';
import { PAGES, finish, root, site } from './sites.mjs';

after(async () => {
  await quit();
  await finish();
});

const pictures = join(root, 'target/screenshots');
await rm(pictures, { recursive: true, force: true });
await mkdir(pictures, { recursive: true });
const cases = await site('cases');

async function picture(page, name) {
  const path = join(pictures, `${name}.png`);
  await page.screenshot({ path, fullPage: true, animations: 'disabled' });
  assert.ok((await stat(path)).size > 2000, name);
}

for (const width of [1280, 390]) {
  for (const scheme of SCHEMES) {
    for (const [name, path] of Object.entries(PAGES)) {
      test(`picture: ${name}-${width}-${scheme}`, async () => {
        await visit(cases.url + path, { scheme, width, height: width === 390 ? 844 : 800, touch: width === 390 }, (page) => picture(page, `${name}-${width}-${scheme}`));
      });
    }
  }
}

const first = cases.url + PAGES['run-first-report'];

test('picture: the first report in print', async () => {
  // A sheet of A4 with margins is about 720 CSS pixels wide.
  await visit(first, { width: 720 }, async (page) => {
    await page.emulateMedia({ media: 'print' });
    await picture(page, 'run-first-report-720-print');
    await page.pdf({ path: join(pictures, 'run-first-report-print.pdf'), format: 'A4', preferCSSPageSize: true });
  });
});

for (const scheme of SCHEMES) {
  test(`picture: the first report in forced colours, ${scheme}`, async () => {
    await visit(first, { scheme, forcedColors: 'active' }, (page) => picture(page, `run-first-report-1280-forced-${scheme}`));
  });
}

test('picture: the first report in greyscale', async () => {
  for (const scheme of SCHEMES) {
    await visit(first, { scheme }, async (page, { context }) => {
      const session = await context.newCDPSession(page);
      await session.send('Emulation.setEmulatedVisionDeficiency', { type: 'achromatopsia' });
      await picture(page, `run-first-report-1280-grey-${scheme}`);
    });
  }
});
