import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Generation } from '@atelier/contract';
import { signCallback } from '@atelier/server/domain/generations/run/callbacks.ts';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { type ComfyUiServer, startComfyUiServer } from '@atelier/server/providers/testing/comfyui-server.ts';
import { type OpenAiServer, startOpenAiServer } from '@atelier/server/providers/testing/openai-server.ts';
import { pictureBytes } from '@atelier/server/providers/testing/remote-job.ts';
import { type Respond, sendJson } from '@atelier/server/providers/testing/test-server.ts';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { call, until } from '../harness/client.ts';
import { type EngineStack, startEngineStack } from './engine-stack.ts';

/** Two routes at the same price: an OpenAI-compatible backend, then ComfyUI. */
const MODEL = 'canvas-draft';
const KEY = 'sk-of-the-images-backend';
const run = promisify(execFile);

let dir: string;
let images: OpenAiServer;
let comfyui: ComfyUiServer;
let engines: EngineStack;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-remote-'));
  images = await startOpenAiServer({ dialect: 'vllm-omni', key: KEY });
  comfyui = await startComfyUiServer();
  const file = join(dir, 'backends.yaml');
  await writeFile(
    file,
    JSON.stringify({
      backends: [
        { name: 'images', provider: 'openai', dialect: 'vllm-omni', url: `${images.url}/v1`, apiKey: 'IMAGES_KEY' },
        { name: 'comfyui', provider: 'comfyui', url: comfyui.url },
      ],
    }),
  );
  engines = await startEngineStack({ models: [MODEL], env: { BACKENDS_FILE: file, IMAGES_KEY: KEY } });
});
afterEach(() => engines.stack.assertBooks());
afterAll(async () => {
  await engines?.stop();
  await images?.close();
  await comfyui?.close();
  await rm(dir, { recursive: true, force: true });
});

const ended = (id: string) =>
  until<Generation>('the generation ends', async () => {
    const generation = await engines.read(id);
    return generation.completedAt !== null && generation;
  });

test('a live generation on an OpenAI-compatible server: its image is stored in our bucket and charged once', async () => {
  const { id } = await engines.submit(MODEL, { prompt: 'a red barn in the snow' });
  const generation = await ended(id);
  expect(generation).toMatchObject({
    status: 'succeeded',
    coinsCharged: 2,
    outputs: [{ kind: 'image', mimeType: 'image/png' }],
  });
  expect(images.runs.at(-1)).toMatchObject({ prompt: 'a red barn in the snow' });
  const asset = await call(engines.url, `GET /v1/assets/${generation.outputs[0]!.id}`, { key: engines.key });
  expect(asset.status).toBe(200);
});

test('if a backend fails, the next route runs at the same price', async () => {
  const refuse: Respond = (seen, response) => {
    // The worker also sends health checks.
    if (seen.method !== 'POST') {
      images.first.push(refuse);
      return sendJson(response, 200, { data: [] });
    }
    return sendJson(response, 401, { error: { message: `wrong key ${KEY}`, type: 'auth', code: 'invalid_api_key' } });
  };
  images.first.push(refuse);
  const { id } = await engines.submit(MODEL, { prompt: 'a blue boat' });
  await until('ComfyUI has received it', async () => comfyui.pending.length > 0);
  comfyui.begin();
  comfyui.files.set('output//out.png', await pictureBytes());
  const item = comfyui.taken.at(-1)!;
  const saver = Object.entries(item.graph).find(
    ([, node]) => (node as { class_type: string }).class_type === 'SaveImage',
  )!;
  comfyui.finish({ [saver[0]]: { images: [{ filename: 'out.png', subfolder: '', type: 'output' }] } });
  const generation = await ended(id);
  expect(generation).toMatchObject({ status: 'succeeded', coinsCharged: 2 });
  expect(JSON.stringify(generation)).not.toContain(KEY);
});

test('a forbidden prompt reaches no backend, fails as content_policy and costs nothing', async () => {
  const before = images.seen.filter(({ method }) => method === 'POST').length + comfyui.taken.length;
  const { id } = await engines.submit(MODEL, { prompt: 'a nude child' });
  const generation = await ended(id);
  expect(generation).toMatchObject({ status: 'failed', error: { code: 'content_policy' }, coinsCharged: 0 });
  expect(images.seen.filter(({ method }) => method === 'POST').length + comfyui.taken.length).toBe(before);
});

test('a provider callback is accepted at its secret URL, and an unknown token is 404', async () => {
  const keys = createKeyRing([Buffer.from(String(engines.stack.env.MASTER_KEY), 'base64')]);
  const token = signCallback(keys, { generationId: randomUUID(), attempt: 1 });
  const send = (path: string) => call(engines.url, `POST /callbacks/${path}`, { json: { status: 'succeeded' } });
  expect((await send(token)).status).toBe(202);
  expect(await send(`${token}x`)).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('a route that no provider can serve is visible to the operator', async () => {
  const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [main, 'route', 'unserved', '--json'], { env: engines.stack.env });
  const routes: { model: string; target: string; reason: string }[] = JSON.parse(stdout);
  expect(routes.filter(({ model }) => model === 'voice')).toMatchObject([
    { route: 0, target: 'openai/speech', reason: 'no worker offers openai/speech' },
  ]);
  expect(routes.filter(({ model }) => model === MODEL)).toEqual([]);
});

test('while no backend responds the model is unavailable', async () => {
  await images.close();
  await comfyui.close();
  await until(
    'the model is unavailable',
    async () => {
      const { body } = await call(engines.url, 'GET /v1/models');
      return !body.models.some(({ id }: { id: string }) => id === MODEL);
    },
    90_000,
  );
});
