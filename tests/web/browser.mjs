// A real Chromium, the Content-Security-Policy of the pages in force, that writes down everything a
// visitor must never see: messages on the console, errors, violations, requests to other hosts.
import assert from 'node:assert/strict';
import { chromium } from 'playwright-core';

export const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
export const SCHEMES = ['light', 'dark'];

let browser;
let over = false;

/** The browser of this process. */
export async function launch() {
  // A test that ran out of time goes on by itself: it must not start another browser, which nobody would end.
  if (over) throw new Error('the tests are over');
  browser ??= await chromium.launch({ executablePath, args: FLAGS, headless: true });
  return browser;
}

/** Ends it. */
export async function quit() {
  over = true;
  await browser?.close();
  browser = undefined;
}

/**
 * Opens an address in a fresh context (nothing remembered). Options: `scheme`, `width`, `height`, `javascript`,
 * `touch`, `reducedMotion`, `forcedColors`, `permissions`, `block` (a pattern of addresses not to load),
 * `before` (what to do with the page before it is opened), `expect` (messages of the console that belong to the test).
 * Returns `{ page, context, problems, done }`: `done()` closes, and fails where a visitor would have seen anything.
 */
export async function open(address, options = {}) {
  const { scheme = 'light', width = 1280, height = 800, javascript = true, touch = false, reducedMotion = 'no-preference', forcedColors = 'none', permissions = [], block, before, expect = [] } = options;
  const context = await (await launch()).newContext({
    bypassCSP: false, colorScheme: scheme, viewport: { width, height }, javaScriptEnabled: javascript, hasTouch: touch, reducedMotion, forcedColors, locale: 'en-US', timezoneId: 'UTC', serviceWorkers: 'block',
  });
  context.setDefaultTimeout(5_000);
  context.setDefaultNavigationTimeout(30_000);
  const { origin } = new URL(address);
  if (permissions.length) await context.grantPermissions(permissions, { origin });
  const problems = [];
  const requests = [];
  const watch = (page) => {
    page.on('console', (message) => {
      const text = `${message.type()}: ${message.text()}`;
      const where = message.location().url;
      // A page that is missing on purpose: the browser says so once, of the document itself.
      if (where === address && /status of 404/.test(text)) return;
      if (block && /ERR_FAILED|ERR_BLOCKED/.test(text)) return;
      if (expect.some((pattern) => pattern.test(text))) return;
      problems.push(`console, ${text} (${where})`);
    });
    page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
    page.on('request', (request) => {
      requests.push(request.url());
      const url = new URL(request.url());
      if (url.protocol !== 'data:' && url.origin !== origin) problems.push(`a request leaves the site: ${request.url()}`);
    });
    page.on('requestfailed', (request) => {
      if (!block || !block.test(request.url())) problems.push(`a request fails: ${request.url()} ${request.failure()?.errorText}`);
    });
    page.on('response', (response) => {
      if (response.status() >= 400 && response.url() !== address) problems.push(`${response.status()}: ${response.url()}`);
    });
  };
  context.on('page', watch);
  if (javascript) {
    await context.exposeBinding('speedbookViolation', (_, what) => {
      if (!expect.some((pattern) => pattern.test(what))) problems.push(`violation of the policy: ${what}`);
    });
    await context.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => {
        window.speedbookViolation(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile ?? ''}:${event.lineNumber} ${event.sample}`);
      });
    });
  }
  const page = await context.newPage();
  if (block) await page.route(block, (route) => route.abort());
  if (before) await before(page, context);
  await page.goto(address, { waitUntil: 'load' });
  const done = async () => {
    // What a script does late is seen, too.
    if (javascript) await page.evaluate(() => new Promise((r) => requestAnimationFrame(() => setTimeout(r, 30))));
    await context.close();
    assert.deepEqual([...new Set(problems)], [], address);
  };
  return { page, context, problems, requests, done };
}

/** Opens, does, and closes in any case; what a visitor would have seen fails it. */
export async function visit(address, options, what) {
  const opened = await open(address, options);
  try {
    await what(opened.page, opened);
  } catch (error) {
    await opened.context.close();
    throw error;
  }
  await opened.done();
}
