// What a reader selects and copies from a run's page is a report that `gen import` reads: the same figures as shown.
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { quit, visit } from './browser.mjs';
import { finish, gen, run, site, work } from './sites.mjs';

after(async () => {
  await quit();
  await finish();
});

const demo = await site('demo');
const RUNS = {
  'the first report': 'runs/qwen3.5-397b-a17b-nvfp4-4x-h200-sxm/',
  'the second report': 'runs/qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl/',
  'a measured run': 'runs/gemma-3-270m/cpu-2-threads-r1/',
};
// What is shown of a measurement; what a page does not show cannot be copied.
const SHOWN = ['total_tok_per_s', 'per_request_tok_per_s', 'tok_per_s', 'ttft_ms', 'itl_ms', 'active_requests', 'completed_requests', 'output_tokens', 'measured_seconds'];
// Facts of the run itself: other names of the same thing are not.
const FACTS = ['model.name', 'model.served_name', 'model.revision', 'hardware.type', 'hardware.gpu', 'hardware.gpu_count', 'hardware.vram_gb_per_gpu', 'hardware.os', 'engine.name', 'engine.version', 'engine.quantization', 'engine.backend', 'engine.repository', 'engine.build', 'engine.commit', 'method.tool', 'method.tool_version', 'method.decode_test', 'method.prefill_mode', 'method.seconds_per_measurement', 'method.max_output_tokens'];

const at = (object, path) => path.split('.').reduce((o, key) => o?.[key], object);
const key = (m) => `${m.context_label} × ${m.concurrency ?? 1}`;

/** Where two figures differ by more than half a step of the one shown: `[what, on the page, imported]`. */
function differences(own, read) {
  const found = [];
  for (const phase of ['prefill', 'decode']) {
    const imported = new Map(read[phase].map((m) => [key(m), m]));
    if (imported.size !== own[phase].length) found.push([`${phase}: number of cells`, own[phase].length, imported.size]);
    for (const m of own[phase]) {
      const other = imported.get(key(m));
      if (!other) {
        found.push([`${phase} ${key(m)}`, 'there', 'missing']);
        continue;
      }
      if (m.status !== other.status) found.push([`${phase} ${key(m)}: status`, m.status, other.status]);
      for (const field of SHOWN) {
        const [a, b] = [m[field], other[field]];
        if (a === undefined && b === undefined) continue;
        // The step says how precisely the copy stands; the figure of the page must be within it.
        const step = Math.max(other[`${field}_step`] ?? 0, m[`${field}_step`] ?? 0);
        if (a === undefined || b === undefined || Math.abs(a - b) > step / 2 + 1e-9 * Math.abs(a)) found.push([`${phase} ${key(m)}: ${field}`, a, b]);
      }
    }
  }
  for (const path of FACTS) {
    const [a, b] = [at(own, path), at(read, path)];
    if (a !== b && !(typeof a === 'number' && Math.abs(a - b) < 0.005 * a)) found.push([path, a, b]);
  }
  return found;
}

for (const [name, path] of Object.entries(RUNS)) {
  test(`${name}: what is copied imports as the same figures`, async () => {
    await visit(demo.url + path, { permissions: ['clipboard-read', 'clipboard-write'] }, async (page) => {
      await page.locator('h1').click();
      await page.keyboard.press('Control+a');
      const selected = await page.evaluate(() => getSelection().toString());
      await page.keyboard.press('Control+c');
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      assert.ok(copied.length > 2000, `${copied.length} characters`);
      // The selection counts what is folded away, too; the clipboard has what is seen.
      const lines = (text) => text.replaceAll('\r\n', '\n').split('\n').filter((line) => line.trim());
      const all = new Set(lines(selected));
      assert.deepEqual(lines(copied).filter((line) => !all.has(line)).slice(0, 5), [], 'the clipboard has what is selected');
      const folder = join(work, 'copied');
      await mkdir(folder, { recursive: true });
      const file = join(folder, `${name.replaceAll(' ', '-')}.txt`);
      await writeFile(file, copied);
      const { stdout } = await run(gen, ['import', file], { maxBuffer: 1 << 26, cwd: folder }).catch((error) => assert.fail(`gen import: ${error.stderr}\n${copied.slice(0, 1500)}`));
      const own = JSON.parse(await readFile(join(demo.output, path, 'run.json'), 'utf8'));
      const found = differences(own, JSON.parse(stdout)).map(([what, a, b]) => `${what}: ${a} on the page, ${b} imported`);
      assert.deepEqual(found.slice(0, 25), [], `${found.length} differences`);
    });
  });
}
