import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { ProviderJob } from '../provider.ts';
import { startFalServer } from '../testing/fal-server.ts';
import { oneBackend, picture, refusalOf, remoteJob, removeJobs, runToEnd, SECRET } from '../testing/remote-job.ts';
import { createFalProvider } from './create-fal-provider.ts';

afterAll(removeJobs);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const route = {
  provider: 'fal',
  backend: 'gpu',
  model: 'studio/painter/edit',
  map: { prompt: 'prompt', image: 'image_url', seed: 'seed' },
};
const newJob = (more: Partial<ProviderJob> = {}) =>
  remoteJob({ route, params: { prompt: 'a lighthouse', seed: 7 }, ...more });

async function setUp() {
  const server = await startFalServer({ key: SECRET });
  const backends = oneBackend({ provider: 'fal', url: server.url, timeouts: { awayMs: 0 } });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  return { server, backends, provider: createFalProvider({ backends }) };
}

test('a run is queued, polled under its app, and fetched; another worker can continue', async () => {
  const { server, backends, provider } = await setUp();
  server.result.body = { images: [{ url: `${server.url}/delivery/a.png`, content_type: 'image/png' }], seed: 7 };
  const job = await newJob();
  const inputs = { image: [await picture(join(job.workDir, 'input-a'))] };
  const submitted = await provider.submit({ ...job, params: { ...job.params, image: 'a' }, inputs });
  const handle = 'handle' in submitted ? submitted.handle : '';
  expect(JSON.parse(handle)).toEqual({ provider: 'fal', backend: 'gpu', ids: ['studio:painter:r1'] });
  const [output] = await runToEnd(createFalProvider({ backends }), job, handle);
  expect(await readFile(output?.path ?? '', 'utf8')).toBe('file /delivery/a.png');
  expect(job.progress).toEqual([0, 0.5]);
  expect(server.runs).toMatchObject([{ path: '/studio/painter/edit', input: { prompt: 'a lighthouse', seed: 7 } }]);
  expect(server.runs[0]?.input.image_url).toMatch(/^data:image\/png;base64,/);
  await provider.cancel?.(handle, job);
  expect(server.canceled).toEqual(['r1']);
});

test.each([
  [
    422,
    { detail: [{ loc: ['body', 'prompt'], msg: 'flagged by a content checker', type: 'content_policy_violation' }] },
    {},
    { code: 'content_policy', retryable: false },
  ],
  [
    422,
    { detail: [{ loc: ['body', 'image_url'], msg: 'too small', type: 'image_too_small' }] },
    {},
    { code: 'invalid_input', message: 'The backend rejected the request: image_url too small' },
  ],
  [
    500,
    { detail: [{ loc: ['body'], msg: 'runner died', type: 'internal_server_error' }] },
    { 'x-fal-retryable': 'true' },
    { code: 'internal', retryable: true },
  ],
  [
    504,
    { detail: [{ loc: ['body'], msg: 'too long', type: 'generation_timeout' }] },
    { 'x-fal-retryable': 'false' },
    { code: 'unavailable', retryable: false },
  ],
  [404, { detail: 'Request not found' }, {}, { code: 'unavailable', retryable: true }],
] as const)('COMPLETED is not success: %s %j', async (status, body, headers, expected) => {
  const { server, provider } = await setUp();
  server.result = { status, body, headers };
  expect(await refusalOf(runToEnd(provider, await newJob()))).toMatchObject(expected);
});

test('several outputs are several runs, and a refused one does not affect the others', async () => {
  const { server, provider } = await setUp();
  server.result.body = { video: { url: `${server.url}/delivery/a.mp4` } };
  const job = await newJob({ outputs: 2 });
  const submitted = await provider.submit(job);
  expect(server.runs.map(({ input }) => input.seed)).toEqual([7, 8]);
  server.polls = 0;
  await provider.poll('handle' in submitted ? submitted.handle : '', job);
  server.first.push(
    ...Array(2).fill((_seen: unknown, response: { end(text: string): void }) => response.end('{"status":"COMPLETED"}')),
    (_seen, response) => response.writeHead(422).end('{"detail":[{"msg":"no","type":"content_policy_violation"}]}'),
  );
  const polled = await provider.poll('handle' in submitted ? submitted.handle : '', job);
  expect(polled.state === 'done' && polled.outputs).toHaveLength(1);
});

test.each([
  ['workflows/studio/film', ['workflows:studio:film:r1']],
  ['comfy/studio/painter/edit', ['comfy:studio:painter:r1']],
])('keeps the namespace of %s, otherwise a paid run is repeated', async (model, ids) => {
  const { server, provider } = await setUp();
  server.result.body = { video: { url: `${server.url}/delivery/a.mp4` } };
  const job = await newJob({ route: { ...route, model } });
  const submitted = await provider.submit(job);
  const handle = 'handle' in submitted ? submitted.handle : '';
  expect(JSON.parse(handle).ids).toEqual(ids);
  expect(await runToEnd(provider, job, handle)).toHaveLength(1);
  await provider.cancel?.(handle, job);
  expect([server.runs.length, server.canceled]).toEqual([1, ['r1']]);
});

test('keeps the namespace when the response has no URL', async () => {
  const { server, provider } = await setUp();
  server.first.push((_seen, response) => response.end('{"request_id":"r1"}'));
  const submitted = await provider.submit(await newJob({ route: { ...route, model: 'workflows/studio/film' } }));
  expect('handle' in submitted && JSON.parse(submitted.handle).ids).toEqual(['workflows:studio:film:r1']);
});

test('fal gets a callback URL only if the backend has callbacks', async () => {
  const callback = { url: 'https://atelier.example/callbacks/cb1.a+b', pause: async () => {} };
  for (const callbacks of [true, false]) {
    const server = await startFalServer({ key: SECRET });
    const backends = oneBackend({ provider: 'fal', url: server.url, callbacks });
    closing.push(
      () => backends.close(),
      () => server.close(),
    );
    await createFalProvider({ backends }).submit(await newJob({ callback }));
    expect(server.seen[0]?.query.get('fal_webhook')).toBe(callbacks ? callback.url : null);
  }
});
