// The sites that the checks look at, built once in each test process: the demo of the repository, and
// one with every odd case. All is made from files of the repository, or here.
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { serve } from './server.mjs';

export const run = promisify(execFile);
export const root = resolve(import.meta.dirname, '../..');
export const gen = process.env.GEN ?? join(root, 'target/release/gen');
export const work = await mkdtemp(join(tmpdir(), 'speedbook-web-'));

const cleanUp = [];

/** A run file as llm-inference-bench saves it. */
export const runFile = (model, cells, prefill = { 8192: { ttft_seconds: 0.5, tok_per_sec: 16384 } }) =>
  JSON.stringify({
    metadata: {
      model, timestamp: '2026-05-01T10:00:00', duration_per_test: 30, max_tokens: 64, max_total_tokens: 100000,
      concurrency_levels: [...new Set(cells.map((c) => c.concurrency))],
      context_lengths: [...new Set(cells.map((c) => c.context_tokens))],
    },
    prefill,
    results: cells,
    summary_table: {},
  });
export const cell = (concurrency, context_tokens, aggregate_tps, more = {}) => ({
  concurrency, context_tokens, aggregate_tps, ttft_p50: 0.2, total_tokens: 900, num_errors: 0, ...more,
});
const failed = (concurrency, context) => cell(concurrency, context, 0, { num_errors: concurrency, total_tokens: 0, failure_reason: 'the server answered 500' });

/** Names that a page must bear, with what is hard in them. */
export const HOSTILE = {
  long: `A model with a name of two hundred letters ${'that goes on '.repeat(8)}${'x'.repeat(80)}`,
  rtl: 'سرعة النموذج الكبير',
  emoji: '🚀🧪 rocket 👩‍👩‍👧‍👦',
  markup: `<script>document.title='run'</script><img src=x onerror="alert(1)"> & "quotes" '`,
};

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAFElEQVR4nGNkaGBgYGBiYGBgYGAAAAT+AIEXjH1sAAAAAElFTkSuQmCC';
const PROSE = `+++
title = "How to read it"
description = "A page of prose with everything that prose can have."
+++

A sentence with [a link to a run](runs/report-2.txt), *stress*, and \`inline --code\`.

## A table

| Figure | Unit | What it says about a server that has many requests at once |
|---|--:|---|
| Total | tok/s | ${'all the output tokens of one second, '.repeat(3)}together |
| TTFT | ms | the time to the first token |

## Code

\`\`\`sh
curl -s https://example.org/runs/NAME/run.json | jq '.decode[] | [.context_label, .concurrency, .total_tok_per_s]' # a long line
\`\`\`

> [!NOTE]
> Something to know.

> [!WARNING]
> Something to be careful with.

> A quotation.

1. First
2. Second
   - [ ] to do
   - [x] done

A claim with a note.[^1]

![Four squares in two shades](/picture.png)

### A heading of the third level

#### And of the fourth

[^1]: The note.
`;

/** Writes the demo into a folder. */
export async function demoContent(folder) {
  for (const part of ['content', 'site.toml']) await cp(join(root, part), join(folder, part), { recursive: true });
}

/** Writes the site with every odd case into a folder. */
async function casesContent(folder) {
  const runs = join(folder, 'content/runs');
  await mkdir(runs, { recursive: true });
  await mkdir(join(folder, 'static'));
  const from = (source, target) => cp(join(root, source), join(runs, target));
  await from('content/runs/qwen3.5-397b-a17b-nvfp4-4x-h200-sxm.txt', 'report-1.txt');
  await from('content/runs/qwen3.5-122b-a10b-gptq-int4-2x-h200-nvl.txt', 'report-2.txt');
  await from('content/runs/gemma-3-270m/cpu-2-threads-r1.json', 'measured.json');
  await from('tests/fixtures/runs/v0.4.29plus_prefill-only.json', 'prefill-only.json');
  await from('tests/fixtures/runs/v0.4.29plus_matrix_burst_queued_error_over-capacity.json', 'burst.json');
  const made = {
    single: runFile('Single', [cell(1, 0, 30.5, { per_request_avg_tps: 31 })], {}),
    'all-failed': runFile('Failed', [failed(1, 0), failed(4, 0), failed(1, 8192), failed(4, 8192)], {}),
    row: runFile('Row', [1, 2, 4, 8, 16, 32].map((n) => cell(n, 8192, 30 * n ** 0.8, { per_request_avg_tps: 30 / n ** 0.2 }))),
    column: runFile('Column', [0, 8192, 16384, 32768, 65536, 131072].map((c, i) => cell(4, c, 100 - 9 * i, { per_request_avg_tps: 25 - 2 * i }))),
  };
  for (const [name, model] of Object.entries(HOSTILE)) {
    made[`hostile-${name}`] = runFile(model, [cell(1, 0, 30.5), cell(4, 0, 100.25, { capacity_limited: true }), cell(1, 8192, 0, { num_errors: 1, total_tokens: 0, failure_reason: HOSTILE.markup }), cell(4, 8192, 77)]);
    await writeFile(join(runs, `hostile-${name}.md`), `+++\nauthor = ${JSON.stringify(model)}\ntags = [${JSON.stringify(model.slice(0, 40))}, "a & b"]\n+++\nNotes with <b>markup</b>.\n`);
  }
  for (const [name, text] of Object.entries(made)) await writeFile(join(runs, `${name}.json`), text);
  await mkdir(join(folder, 'content/compare'));
  await writeFile(join(folder, 'content/compare/reports.md'), '+++\nruns = ["report-1", "report-2"]\n+++\nTwo reports.\n');
  await writeFile(join(folder, 'content/compare/several.md'), '+++\nruns = ["single", "row", "column", "all-failed", "prefill-only"]\ntitle = "Runs with little in common"\n+++\n');
  await writeFile(join(folder, 'content/prose.md'), PROSE);
  await writeFile(join(folder, 'content/index.md'), 'Every odd case. See [how to read it](prose.md).\n');
  await writeFile(join(folder, 'static/picture.png'), Buffer.from(PICTURE, 'base64'));
  await writeFile(join(folder, 'site.toml'), 'title = "Cases"\ndescription = "Every odd case, for checks."\n\n[prices]\n"H200 SXM" = 3.5\n');
}

/** Builds a site of which `content` is in `folder`, as it stands at `base` on a host. Returns its folder there. */
export async function build(folder, base, home, more = []) {
  const path = new URL(base).pathname;
  const toml = join(folder, 'site.toml');
  await writeFile(toml, `base_url = "${base}"\n${await readFile(toml, 'utf8')}`);
  await mkdir(join(home, path, '..'), { recursive: true });
  await run(gen, ['build', '--quiet', '--root', folder, '--output', join(home, path), ...more], { maxBuffer: 1 << 26 });
  return join(home, path);
}

const sites = new Map();

/**
 * A site that is built and served: 'demo' at the root of a host, 'cases' below a path.
 * `{ name, folder, output, url }`: its sources, its files, its address with a slash at the end.
 */
export function site(name) {
  if (!sites.has(name)) sites.set(name, make(name));
  return sites.get(name);
}

async function make(name) {
  const folder = join(work, name);
  const home = join(work, `${name}-host`);
  await mkdir(folder);
  await (name === 'demo' ? demoContent : casesContent)(folder);
  const path = name === 'demo' ? '/' : '/bench/cases/';
  const output = await build(folder, `https://speedbook.example${path}`, home);
  const { url, close } = await serve(home, path);
  cleanUp.push(close);
  return { name, folder, output, path, url: url + path };
}

/** Ends the servers and takes the folders away; the last thing of a test file. */
export async function finish() {
  cleanUp.splice(0).forEach((what) => what());
  await rm(work, { recursive: true, force: true });
}

/** The pages that are looked at one by one: name and where it is, in the site of cases. */
export const PAGES = {
  index: '',
  'run-first-report': 'runs/report-1/',
  'run-second-report': 'runs/report-2/',
  'run-single-cell': 'runs/single/',
  'run-prefill-only': 'runs/prefill-only/',
  'run-all-failed': 'runs/all-failed/',
  compare: 'compare/reports/',
  comparisons: 'compare/',
  prose: 'prose/',
  404: 'no/such/page',
};

/** More pages, of which no picture is taken, but which hold the same promises. */
export const MORE_PAGES = {
  'run-measured': 'runs/measured/',
  'run-burst': 'runs/burst/',
  'run-row': 'runs/row/',
  'run-column': 'runs/column/',
  'run-long-name': 'runs/hostile-long/',
  'run-rtl-name': 'runs/hostile-rtl/',
  'run-emoji-name': 'runs/hostile-emoji/',
  'run-markup-name': 'runs/hostile-markup/',
  'compare-several': 'compare/several/',
  models: 'models/',
  hardware: 'hardware/',
  engines: 'engines/',
};
