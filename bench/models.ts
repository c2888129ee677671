import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Generation, ParamValues, TaskType } from '@atelier/contract';
import { hasWeights, runEngine } from '@atelier/engines/testing/run-engine.ts';
import sharp from 'sharp';
import { sendUpload } from '../e2e/files/send-upload.ts';
import { makeAccount } from '../e2e/harness/account.ts';
import { call, newIdempotencyKey, until } from '../e2e/harness/client.ts';
import { startStack } from '../e2e/harness/start-stack.ts';
import { waitForModels } from '../e2e/harness/wait-for-models.ts';
import type { Bench } from './bench.ts';

const ROUNDS = 9;
const BAR_MS = 250;
/** 2 MP, the largest image that the target covers. */
const [WIDTH, HEIGHT] = [1632, 1224];
const photograph = resolve(import.meta.dirname, '../gallery/inputs/portrait.jpg');

interface Case {
  readonly modelId: string;
  readonly engine: Parameters<typeof runEngine>[0];
  readonly taskType: TaskType;
  readonly media: 'image' | 'images';
  readonly params: ParamValues;
}

/** The fastest model shows the overhead best: the run time of the others varies by more than the target. */
const MODELS: readonly Case[] = [
  { modelId: 'gmic-effects', engine: 'gmic', taskType: 'image.effect', media: 'images', params: { style: 'duotone' } },
  { modelId: 'modnet-portrait', engine: 'modnet', taskType: 'image.remove-bg', media: 'image', params: {} },
  { modelId: 'silueta-cutout', engine: 'silueta', taskType: 'image.remove-bg', media: 'image', params: {} },
];

const median = (list: readonly number[]) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;

/** The overhead of the service over a warm engine: submit to succeeded against the engine alone, alternating. */
export const benchModels: Bench = async ({ services, say }) => {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-bench-'));
  const stack = await startStack({ services, apis: 1, workers: 1, env: { LIST_EVERY_MODEL: 'false' } });
  const figures: Record<string, number> = {};
  try {
    const path = join(dir, 'large.jpg');
    await sharp(photograph).resize(WIDTH, HEIGHT, { fit: 'cover' }).jpeg({ quality: 90 }).toFile(path);
    const { url } = stack.api();
    const { key } = await makeAccount(stack, { mode: 'live' });
    const image = (await sendUpload(url, { key, path })).body.id as string;
    for (const { modelId, engine, taskType, media, params } of MODELS) {
      if (!hasWeights(engine)) {
        say(`${modelId}: skipped, missing weights`);
        continue;
      }
      const served = async () => {
        const answer = await call<Generation>(url, 'POST /v1/generations', {
          key,
          headers: { 'idempotency-key': newIdempotencyKey() },
          json: { modelId, params: { ...params, [media]: media === 'images' ? [image] : image }, maxCoins: 1_000 },
        });
        if (answer.status !== 201) throw new Error(answer.text);
        const ended = await until(
          `${modelId} ends`,
          async () => {
            const { body } = await call<Generation>(url, `GET /v1/generations/${answer.body.id}`, { key });
            return body.completedAt !== null && body;
          },
          120_000,
        );
        if (ended.status !== 'succeeded') throw new Error(JSON.stringify(ended.error));
        return Date.parse(ended.completedAt!) - Date.parse(ended.createdAt);
      };
      const bare = async () => {
        const startedAt = performance.now();
        await runEngine(engine, {
          taskType,
          params,
          inputs: { [media]: [path] },
          dir: await mkdtemp(join(dir, 'out-')),
        });
        return performance.now() - startedAt;
      };
      await waitForModels(url, [modelId]);
      await served();
      await bare();
      const [servedMs, bareMs]: [number[], number[]] = [[], []];
      for (let round = 0; round < ROUNDS; round++) {
        servedMs.push(await served());
        bareMs.push(await bare());
      }
      const addedMs = median(servedMs) - median(bareMs);
      say(
        `${modelId.padEnd(18)} served ${median(servedMs).toFixed(0)} ms, bare ${median(bareMs).toFixed(0)} ms, added ${addedMs.toFixed(0)} ms (bar ${BAR_MS}), ratio ${(median(servedMs) / median(bareMs)).toFixed(2)}`,
      );
      figures[`${modelId}.servedMs`] = median(servedMs);
      figures[`${modelId}.bareMs`] = median(bareMs);
      figures[`${modelId}.addedMs`] = addedMs;
    }
    return figures;
  } finally {
    await stack.stop();
    await rm(dir, { recursive: true, force: true });
  }
};
