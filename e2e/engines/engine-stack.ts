import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Generation } from '@atelier/contract';
import sharp from 'sharp';
import { inject } from 'vitest';
import { sendUpload } from '../files/send-upload.ts';
import { makeAccount } from '../harness/account.ts';
import { call, newIdempotencyKey } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { waitForModels } from '../harness/wait-for-models.ts';

const root = resolve(import.meta.dirname, '../..');
const PHOTOGRAPH = join(root, 'gallery/inputs/portrait.jpg');

/** A model that is slow enough to be killed during a run, with weights in CI. */
export const UPSCALE = 'real-esrgan-x2';

export interface EngineStack {
  readonly stack: Stack;
  readonly url: string;
  readonly key: string;
  readonly accountId: string;
  /** Uploads a photo with this many pixels per side. */
  uploadPhotograph(sidePixels: number): Promise<string>;
  submit(modelId: string, params: Record<string, unknown>): Promise<Generation>;
  read(id: string): Promise<Generation>;
  stop(): Promise<void>;
}

/** The service with a live key and local engines; `edit` changes its catalog. */
export async function startEngineStack(options: {
  models: readonly string[];
  workers?: number;
  env?: Record<string, string>;
  edit?: (yaml: string) => string;
  runLimit?: number;
}): Promise<EngineStack> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-engines-'));
  await cp(join(root, 'catalog'), join(dir, 'catalog'), { recursive: true });
  if (options.edit !== undefined) {
    const file = join(dir, 'catalog/models/real-esrgan.yaml');
    await writeFile(file, options.edit(await readFile(file, 'utf8')));
  }
  const stack = await startStack({
    services: inject('services'),
    apis: 1,
    workers: options.workers ?? 1,
    env: { LIST_EVERY_MODEL: 'false', CATALOG_DIR: join(dir, 'catalog'), ...options.env },
  });
  const { url } = stack.api();
  const { key, accountId } = await makeAccount(stack, { mode: 'live', runLimit: options.runLimit ?? 4 });
  if ((options.workers ?? 1) > 0) await waitForModels(url, options.models);
  return {
    stack,
    url,
    key,
    accountId,
    async uploadPhotograph(sidePixels) {
      const path = join(dir, `photograph-${sidePixels}.jpg`);
      await sharp(PHOTOGRAPH).resize(sidePixels, sidePixels).jpeg().toFile(path);
      const { status, body } = await sendUpload(url, { key, path });
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
      return body.id as string;
    },
    async submit(modelId, params) {
      const answer = await call<Generation>(url, 'POST /v1/generations', {
        key,
        headers: { 'idempotency-key': newIdempotencyKey() },
        json: { modelId, params, maxCoins: 10_000 },
      });
      if (answer.status !== 201) throw new Error(answer.text);
      return answer.body;
    },
    read: async (id) => (await call<Generation>(url, `GET /v1/generations/${id}`, { key })).body,
    async stop() {
      await stack.stop();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
