// Finished sites, looked at from outside: the Nu checker for every page, a crawler for every link,
// a browser for the site opened from a disk. The sites: the demo and one of odd names, each for a
// host's root, for a sub-path, and without base_url, with and without --portable.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { LinkChecker } from 'linkinator';
import { validateXML } from 'xmllint-wasm';
import { executablePath, FLAGS } from './browser.mjs';
import { serve } from './server.mjs';
import { cell, demoContent, finish, gen, run, runFile as file, work } from './sites.mjs';
import { vnuJar } from './vnu.mjs';

after(finish);

// The checker guesses the language of a page; names of odd scripts mislead it.
const GUESS = '.*appears to be written in.*';
// It reads files from the disk, where it takes none for the page's own, and it asks no host on this
// machine. The pages' policy is tried in a browser (pages.test.mjs).
const POLICY = '.*Resource violates Content Security Policy.*';

async function oddSite(folder) {
  await mkdir(join(folder, 'content/runs'), { recursive: true });
  const cells = [cell(1, 0, 30.5), cell(4, 0, 100.25, { capacity_limited: true }), cell(1, 8192, 0, { num_errors: 1, total_tokens: 0 }), cell(4, 8192, -1.5, { failure_reason: '<b>&"\'' })];
  const names = ['Ωμέγα Δοκιμή', 'سرعة النموذج', '🚀 rocket', 'x'.repeat(200), '!?&<>"\'', 'same', 'same'];
  for (const [i, name] of names.entries()) {
    await writeFile(join(folder, `content/runs/r${i}.json`), file(name, cells));
    await writeFile(join(folder, `content/runs/r${i}.md`), `+++\nauthor = '<script>alert(1)</script>'\ntags = ['a & b', '"q"']\naliases = ['/old/${i}/']\n+++\n# Notes <b>\n\n[bad](javascript:alert(1)) and [good](https://example.org/).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n`);
  }
  await writeFile(join(folder, 'content/Ωδή.md'), '# Ωδή\n\n## Ένα\n\n[run](runs/r0.json) [up](#ένα)\n\n> [!WARNING]\n> Careful.\n\n- [ ] task\n- [x] done\n\n```rust\nfn main() {}\n```\n\nA note.[^1]\n\n[^1]: Here.\n');
  await writeFile(join(folder, 'content/index.md'), 'Welcome. See [ode](Ωδή.md).\n');
}

async function sites() {
  const odd = join(work, 'odd');
  await oddSite(odd);
  const demo = join(work, 'demo');
  await mkdir(demo);
  await demoContent(demo);
  const list = [];
  for (const site of [demo, odd]) {
    const toml = await readFile(join(site, 'site.toml'), 'utf8').catch(() => '');
    for (const [kind, base] of [['root', 'https://example.org/'], ['sub', 'https://example.org/sub/path/'], ['none', '']]) {
      for (const portable of [false, true]) {
        await writeFile(join(site, 'site.toml'), (base ? `base_url = "${base}"\n` : '') + toml);
        const home = join(work, 'out', `${site.endsWith('odd') ? 'odd' : 'demo'}-${kind}${portable ? '-portable' : ''}`);
        const path = base ? new URL(base).pathname : '/';
        const output = join(home, path);
        await mkdir(join(output, '..'), { recursive: true });
        await run(gen, ['build', '--quiet', '--root', site, '--output', output, ...(portable ? ['--portable'] : [])]);
        list.push({ name: home.slice(home.lastIndexOf('/') + 1), home, path, output, portable });
      }
    }
  }
  return list;
}

const built = await sites();

async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((e) => e.isFile()).map((e) => join(e.parentPath, e.name));
}

test('the Nu checker finds no error and no warning', async () => {
  const jar = await vnuJar();
  const files = (await Promise.all(built.map((site) => filesOf(site.output)))).flat();
  const pages = files.filter((f) => /\.(html|svg|css)$/.test(f));
  console.log(`${pages.length} files of ${built.length} sites`);
  const kinds = { html: [], css: ['--css'], svg: ['--svg'] };
  for (const [kind, options] of Object.entries(kinds)) {
    const some = pages.filter((f) => f.endsWith(`.${kind}`));
    const { stderr } = await run('java', ['-Xss8m', '-jar', jar, '--format', 'gnu', '--filterpattern', `${GUESS}|${POLICY}`, ...options, ...some], { maxBuffer: 1 << 26 }).catch((e) => e);
    assert.equal(stderr.trim(), '', kind);
  }
});

test('a crawler finds no dead link', { timeout: 300_000 }, async () => {
  for (const site of built) {
    const { url, close } = await serve(site.home, site.path);
    const start = [`${url}${site.path}`, `${url}${site.path}404.html`];
    const result = await new LinkChecker().check({
      path: start,
      recurse: true,
      linksToSkip: [`^(?!${url})`],
    });
    close();
    const dead = result.links.filter((l) => l.state === 'BROKEN').map((l) => `${l.url} on ${l.parent}`);
    const asked = result.links.filter((l) => l.state === 'OK').length;
    console.log(`${site.name}: ${asked} links`);
    assert.deepEqual(dead, [], site.name);
    assert.ok(asked > 20, site.name);
  }
});

test('links of the Markdown twins lead to files', async () => {
  for (const site of built) {
    const all = new Set(await filesOf(site.output));
    let links = 0;
    for (const page of [...all].filter((f) => f.endsWith('.md'))) {
      const text = (await readFile(page, 'utf8')).replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1/gm, '').replace(/(`+)[^`]*\1/g, '');
      for (const [, target] of text.matchAll(/(?<!\\)\]\(<?([^)>\s]+)>?\)/g)) {
        if (/^[a-z]+:/.test(target) || target.startsWith('#')) continue;
        links += 1;
        const path = join(page, '..', decodeURIComponent(target.split('#')[0]));
        assert.ok(all.has(path), `${page}: ${target}`);
      }
    }
    assert.ok(links > 5, site.name);
  }
});

test('links of llms.txt lead to files', async () => {
  for (const site of built) {
    const all = new Set(await filesOf(site.output));
    const text = await readFile(join(site.output, 'llms.txt'), 'utf8');
    const targets = [...text.matchAll(/(?<!\\)\]\(([^)]+)\)/g)].map(([, target]) => target);
    assert.ok(targets.length > 6, site.name);
    for (const target of targets) {
      const url = new URL(target, `https://example.org${site.path}`);
      assert.equal(url.host, 'example.org', target);
      assert.ok(all.has(join(site.home, decodeURIComponent(url.pathname))), `${site.name}: ${target}`);
    }
  }
});

test('sitemaps follow the schema of sitemaps.org', async () => {
  const schema = await readFile(join(import.meta.dirname, 'node_modules/sitemap/schema/sitemap.xsd'), 'utf8');
  let checked = 0;
  for (const site of built) {
    const contents = await readFile(join(site.output, 'sitemap.xml'), 'utf8').catch(() => null);
    if (contents === null) {
      assert.match(site.name, /none/, 'without base_url there is no sitemap');
      continue;
    }
    const { valid, errors } = await validateXML({ xml: [{ fileName: `${site.name}.xml`, contents }], schema: [schema] });
    assert.ok(valid, errors.map((e) => e.message).join('\n'));
    checked += 1;
  }
  assert.equal(checked, 8);
  const broken = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><lastmod>x</lastmod></url></urlset>';
  const { valid } = await validateXML({ xml: [{ fileName: 'broken.xml', contents: broken }], schema: [schema] });
  assert.ok(!valid, 'the schema refuses something');
});

test('a portable site opens from a disk in a browser', { timeout: 120_000 }, async () => {
  const site = built.find((s) => s.name === 'demo-none-portable');
  const dom = async (path) => {
    const profile = await mkdtemp(join(work, 'profile-'));
    const { stdout } = await run(executablePath, ['--headless', ...FLAGS, `--user-data-dir=${profile}`, '--dump-dom', pathToFileURL(path).href], { maxBuffer: 1 << 26 });
    return stdout;
  };
  const front = await dom(join(site.output, 'index.html'));
  const link = front.match(/href="(runs\/[^"]+\/index\.html)"/)[1];
  const page = await dom(join(site.output, decodeURIComponent(link)));
  assert.match(page, /All measurements/);
});
