import { cp, mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { EffectsResponse } from '@atelier/contract';
import { sendUpload } from '../e2e/files/send-upload.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import { call } from '../e2e/harness/client.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import { waitForModels } from '../e2e/harness/wait-for-models.ts';
import { readServices, startServices, stopServices } from '../scripts/services.ts';
import { readCases } from './read-cases.ts';
import { type CaseResult, runCase } from './run-case.ts';
import { writeCards, writeDocs, writePage } from './write-pages.ts';

const HELP = `usage: npm run gallery -- [--only id,id] [--out folder] [--docs] [--json]

Runs every available local model and effect once through the API with a live key, on the files of gallery/inputs,
checks the outputs, and writes a page with input, params, output, seconds and coins.

  --only id,id   only these models or effects
  --out folder   output folder for files and index.html (default .gallery)
  --docs         also write the scaled-down gallery to docs/gallery, and the cards of models to the console
  --json         print the results as JSON
  --help         show this text`;

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    out: { type: 'string', default: '.gallery' },
    docs: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const root = resolve(import.meta.dirname, '..');
const inputsDir = join(root, 'gallery/inputs');

async function run(): Promise<number> {
  const outDir = resolve(values.out);
  await mkdir(outDir, { recursive: true });
  await cp(inputsDir, join(outDir, 'inputs'), { recursive: true });
  const running = readServices();
  const services = running ?? (await startServices());
  const stack = await startStack({ services, apis: 1, workers: 1, cdns: 1, env: { LIST_EVERY_MODEL: 'false' } });
  const results: CaseResult[] = [];
  try {
    const { url } = stack.api();
    const { key } = await makeAccount(stack, { mode: 'live' });
    const models = await waitForModels(url);
    const { effects } = (await call<EffectsResponse>(url, 'GET /v1/effects')).body;
    const uploads = new Map<string, Promise<string>>();
    const uploadIdOf = (file: string) => {
      if (!uploads.has(file)) {
        uploads.set(
          file,
          sendUpload(url, { key, path: join(inputsDir, file) }).then(({ status, body }) => {
            if (status !== 201) throw new Error(`${file}: ${status} ${JSON.stringify(body)}`);
            return body.id as string;
          }),
        );
      }
      return uploads.get(file)!;
    };
    const open = new Set(models.map(({ id }) => id));
    const only = values.only?.split(',');
    const cases = readCases(join(root, 'gallery/cases')).filter(
      ({ model, effect }) => open.has(model) && (only === undefined || only.includes(effect ?? model)),
    );
    for (const [place, each] of cases.entries()) {
      const name = `${String(place + 1).padStart(2, '0')}-${each.effect ?? each.model}`;
      const result = await runCase({ url, key, each, name, uploadIdOf, outDir });
      results.push(result);
      const verdict = result.faults.length === 0 ? 'ok    ' : 'FAILED';
      if (!values.json) {
        console.log(
          `${verdict} ${name}: ${result.seconds.toFixed(1)} s, ${result.coins} coins ${result.faults.join('; ')}`,
        );
      }
    }
    const shown = new Set(cases.map(({ model }) => model));
    const shownEffects = new Set(cases.map(({ effect }) => effect));
    const unseen = [
      ...models
        .filter(({ id }) => !shown.has(id) && !effects.some(({ modelId }) => modelId === id))
        .map(({ id }) => id),
      ...effects.filter(({ id }) => !shownEffects.has(id)).map(({ id }) => `effect ${id}`),
    ];
    await writePage(outDir, results);
    if (values.docs) {
      await writeDocs(join(root, 'docs/gallery'), { outDir, results });
      await writeCards(join(root, 'packages/console/src/pages/playground/pictures'), { outDir, results });
    }
    await stack.assertBooks();
    const failed = results.filter(({ faults }) => faults.length > 0).length;
    const missing = only === undefined ? unseen : [];
    const tasks = new Set(models.map(({ taskType }) => taskType));
    if (values.json) console.log(JSON.stringify({ results, missing, tasks: [...tasks] }));
    else {
      console.log(
        `${results.length - failed} passed, ${failed} failed; ${models.length} models available for ${tasks.size} task types, ${effects.length} effects`,
      );
      if (missing.length > 0) console.log(`without a case: ${missing.join(', ')}`);
    }
    return failed > 0 || missing.length > 0 ? 1 : 0;
  } finally {
    await stack.stop();
    if (running === null) await stopServices();
  }
}

if (values.help) console.log(HELP);
else process.exitCode = await run();
