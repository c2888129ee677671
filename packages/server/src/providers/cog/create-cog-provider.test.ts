import { randomBytes } from 'node:crypto';
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ProviderJob } from '../provider.ts';
import { readLogProgress } from '../remote/runs.ts';
import { startCogServer } from '../testing/cog-server.ts';
import { oneBackend, picture, refusalOf, remoteJob, removeJobs, runToEnd, SECRET } from '../testing/remote-job.ts';
import { startReplicateServer } from '../testing/replicate-server.ts';
import { createCogProvider } from './create-cog-provider.ts';

afterAll(removeJobs);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const route = {
  provider: 'cog',
  backend: 'gpu',
  map: { prompt: 'prompt', image: 'image', images: 'pictures', seed: 'seed' },
  constants: { steps: 4 },
};
const newJob = (more: Partial<ProviderJob> = {}) =>
  remoteJob({ route, params: { prompt: 'a lighthouse', seed: 7 }, ...more });
const text = (path = '') => readFile(path, 'utf8');

describe('a Cog server', () => {
  async function setUp(record: Record<string, unknown> = {}) {
    const server = await startCogServer();
    const backends = oneBackend({ provider: 'cog', url: server.url, ...record });
    closing.push(
      () => backends.close(),
      () => server.close(),
    );
    return { server, provider: createCogProvider({ backends }) };
  }

  test('runs in one open call under the generation id', async () => {
    const { server, provider } = await setUp();
    const job = await newJob();
    const [output] = await runToEnd(provider, job);
    expect(await text(output?.path)).toBe('picture');
    expect(server.inputs).toEqual([{ prompt: 'a lighthouse', seed: 7, steps: 4 }]);
    expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `PUT /predictions/${job.generationId}-0`,
    ]);
  });

  test('gets uploads inside the call, and serves its files by link', async () => {
    const { server, provider } = await setUp();
    server.predict = () => ({ status: 'succeeded', output: { mesh: [`${server.url}/files/a.glb`], seen: true } });
    const job = await newJob({ params: { image: 'a', images: ['b'] } });
    const [one, two] = [await picture(join(job.workDir, 'input-a')), await picture(join(job.workDir, 'input-b'))];
    server.first.push(
      async (seen, response) => {
        server.inputs.push(seen.json().input as Record<string, unknown>);
        response.end(JSON.stringify(server.predict({})));
      },
      (_seen, response) => response.end('solid'),
    );
    const [output] = await runToEnd(provider, { ...job, inputs: { image: [one], images: [two] } });
    expect(await text(output?.path)).toBe('solid');
    expect(server.inputs[0]?.image).toMatch(/^data:image\/png;base64,iVBOR/);
    expect(server.inputs[0]?.pictures).toHaveLength(1);
  });

  test('that is busy is retried until a timeout', async () => {
    const { server, provider } = await setUp({ timeouts: { busyMs: 1_500 } });
    server.running.add('other');
    const waiting = provider.submit(await newJob());
    await sleep(300);
    server.running.clear();
    expect(await waiting).toHaveProperty('outputs');
    server.running.add('other');
    expect(await refusalOf(provider.submit(await newJob()))).toMatchObject({
      code: 'unavailable',
      message: 'The backend is busy.',
      retryable: true,
    });
  });

  test('that still runs it for a lost worker runs it again afterwards', async () => {
    const { server, provider } = await setUp();
    const job = await newJob();
    server.running.add(`${job.generationId}-0`);
    setTimeout(() => server.running.clear(), 300);
    expect(await runToEnd(provider, job)).toHaveLength(1);
    expect(server.canceled).toEqual([`${job.generationId}-0`]);
  });

  test('gets a cancel when the job is aborted', async () => {
    const { server, provider } = await setUp();
    server.delayMs = 10_000;
    const ending = new AbortController();
    const job = await newJob({ signal: ending.signal });
    const run = provider.submit(job);
    setTimeout(() => ending.abort(new Error('lease lost')), 200);
    await expect(run).rejects.toThrow('lease lost');
    expect(server.canceled).toEqual([`${job.generationId}-0`]);
  });

  test.each([
    [
      'NSFW content detected. Try running it again.',
      'content_policy',
      'Refused by the content policy, as reported by the backend.',
    ],
    ['CUDA out of memory', 'internal', 'The backend failed: CUDA out of memory'],
    [null, 'internal', 'The backend failed.'],
  ] as const)('that fails with %j', async (error, code, message) => {
    const { server, provider } = await setUp();
    server.predict = () => ({ status: 'failed', error });
    expect(await refusalOf(provider.submit(await newJob()))).toMatchObject({ code, message, retryable: false });
  });

  test('names the input that it refuses', async () => {
    const { provider } = await setUp();
    const odd = { ...route, map: { prompt: 'bad' } };
    expect(await refusalOf(provider.submit(await newJob({ route: odd })))).toMatchObject({
      code: 'invalid_input',
      message: 'The backend rejected the request: input.bad Unexpected field',
    });
  });

  test('Cog 0.22 limits bodies to 100 MiB: larger uploads are refused before anything is sent', async () => {
    const { server, provider } = await setUp();
    const job = await newJob({ params: { image: 'a', images: ['b'] } });
    const paths = [await picture(join(job.workDir, 'input-a')), await picture(join(job.workDir, 'input-b'))];
    // Each fits alone, both do not.
    for (const path of paths) await truncate(path, 40 * 1024 * 1024);
    const [one, two] = paths as [string, string];
    const refusal = await refusalOf(provider.submit({ ...job, inputs: { image: [one], images: [two] } }));
    expect(refusal).toMatchObject({ code: 'invalid_input', retryable: false });
    expect(refusal.message).toContain('104857600 bytes');
    expect(server.seen).toEqual([]);
  });

  test('makes several outputs one after another, returns text, and can select a part of the output', async () => {
    const { server, provider } = await setUp();
    expect(await runToEnd(provider, await newJob({ outputs: 3 }))).toHaveLength(3);
    expect(server.inputs.map(({ seed }) => seed)).toEqual([7, 8, 9]);
    server.predict = () => ({ status: 'succeeded', output: ['Hello ', 'there.'] });
    const [words] = await runToEnd(provider, await newJob());
    expect(await text(words?.path)).toBe('Hello there.');
    server.predict = () => ({
      status: 'succeeded',
      output: { vocals: 'data:audio/wav;base64,dm9jYWxz', drums: 'data:audio/wav;base64,ZHJ1bXM=' },
    });
    const stems = await newJob({
      route: { ...route, output: '$stem' },
      taskType: 'audio.isolate',
      params: { stem: 'drums' },
    });
    const [drums] = await runToEnd(provider, stems);
    expect([await text(drums?.path), drums?.stem]).toEqual(['drums', 'drums']);
  });
});

describe('Replicate', () => {
  const hosted = { ...route, model: 'atelier/painter' };
  async function setUp(record: Record<string, unknown> = {}) {
    const server = await startReplicateServer({ key: SECRET });
    const backends = oneBackend({ provider: 'replicate', url: `${server.url}/v1`, ...record });
    closing.push(
      () => backends.close(),
      () => server.close(),
    );
    return { server, backends, provider: createCogProvider({ backends }) };
  }

  test('starts a prediction, reads progress from its log and fetches its file', async () => {
    const { server, provider } = await setUp();
    server.states = [
      { status: 'processing', logs: 'loading\n 25%|##  | 5/20\n' },
      { status: 'processing', logs: ' 25%|##  | 5/20\n 75%|######  | 15/20' },
      { status: 'succeeded', output: [`${server.url}/delivery/a.png`] },
    ];
    const job = await newJob({ route: hosted });
    const [output] = await runToEnd(provider, job);
    expect(await text(output?.path)).toBe('file /delivery/a.png');
    expect(job.progress).toEqual([0.25, 0.75]);
    expect(server.created).toEqual([
      {
        path: '/models/atelier/painter/predictions',
        prefer: 'wait=5',
        body: { input: { prompt: 'a lighthouse', seed: 7, steps: 4 } },
      },
    ]);
  });

  test('runs a version too, and another worker continues from the handle', async () => {
    const { server, provider, backends } = await setUp();
    server.states = [{ status: 'succeeded', output: `${server.url}/delivery/a.png` }];
    const submitted = await provider.submit(await newJob({ route: { ...route, version: 'abc123', waitSeconds: 0 } }));
    expect(server.created).toMatchObject([{ path: '/predictions', prefer: undefined, body: { version: 'abc123' } }]);
    const handle = 'handle' in submitted ? submitted.handle : '';
    expect(JSON.parse(handle)).toEqual({ provider: 'replicate', backend: 'gpu', ids: ['p1'] });
    expect(await runToEnd(createCogProvider({ backends }), await newJob({ route: hosted }), handle)).toHaveLength(1);
    await provider.cancel?.(handle, await newJob());
    expect(server.canceled).toEqual(['p1']);
  });

  test('gets large uploads through its files API', async () => {
    const { server, provider } = await setUp();
    server.states = [{ status: 'succeeded', output: `${server.url}/delivery/a.png` }];
    const job = await newJob({ route: hosted, params: { image: 'a' } });
    const path = join(job.workDir, 'input-a');
    await sharp(randomBytes(400 * 400 * 3), { raw: { width: 400, height: 400, channels: 3 } })
      .png()
      .toFile(path);
    await runToEnd(provider, { ...job, inputs: { image: [path] } });
    expect(server.uploads).toHaveLength(1);
    expect(server.created[0]?.body).toMatchObject({ input: { image: `${server.url}/v1/files/f1` } });
  });

  test('reports failed, canceled and lost predictions', async () => {
    const { server, provider } = await setUp();
    const ends = async (state: Record<string, unknown>) => {
      server.states = [state];
      return refusalOf(runToEnd(provider, await newJob({ route: hosted })));
    };
    expect(await ends({ status: 'failed', error: 'NSFW content detected.' })).toMatchObject({ code: 'content_policy' });
    expect(await ends({ status: 'failed', error: 'Input was flagged as sensitive (E005)' })).toMatchObject({
      code: 'content_policy',
    });
    expect(await ends({ status: 'canceled' })).toMatchObject({ code: 'unavailable', retryable: true });
    const gone = JSON.stringify({ provider: 'replicate', backend: 'gpu', ids: ['p99'] });
    expect(await refusalOf(provider.poll(gone, await newJob({ route: hosted })))).toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
  });

  test('files on other hosts are fetched only from configured origins, without the key', async () => {
    const elsewhere = await startReplicateServer({ key: 'other' });
    closing.push(() => elsewhere.close());
    const closed = await setUp();
    closed.server.states = [{ status: 'succeeded', output: `${elsewhere.url}/delivery/a.png` }];
    expect(await refusalOf(runToEnd(closed.provider, await newJob({ route: hosted })))).toMatchObject({
      code: 'internal',
    });
    expect(elsewhere.seen).toEqual([]);
    const open = await setUp({ outputOrigins: [elsewhere.url] });
    open.server.states = [{ status: 'succeeded', output: `${elsewhere.url}/delivery/a.png` }];
    expect(await runToEnd(open.provider, await newJob({ route: hosted }))).toHaveLength(1);
    expect(elsewhere.seen[0]?.headers.authorization).toBeUndefined();
  });
});

test('Replicate and Cog get a callback URL only if the backend has callbacks', async () => {
  const callback = { url: 'https://atelier.example/callbacks/cb1.token', pause: async () => {} };
  const wanted = { webhook: callback.url, webhook_events_filter: ['completed'] };
  for (const callbacks of [true, false]) {
    const replicate = await startReplicateServer({ key: SECRET });
    const cog = await startCogServer();
    const hosted = oneBackend({ provider: 'replicate', url: `${replicate.url}/v1`, callbacks });
    const own = oneBackend({ provider: 'cog', url: cog.url, callbacks });
    closing.push(
      () => hosted.close(),
      () => own.close(),
      () => replicate.close(),
      () => cog.close(),
    );
    await createCogProvider({ backends: hosted }).submit(
      await newJob({ route: { ...route, model: 'atelier/painter' }, callback }),
    );
    await createCogProvider({ backends: own }).submit(await newJob({ callback }));
    for (const body of [replicate.created[0]?.body, cog.seen[0]?.json()]) {
      if (callbacks) expect(body).toMatchObject(wanted);
      else expect(Object.keys(body ?? {})).toEqual(['input']);
    }
  }
});

test('a callback ends the wait for a run of a lost worker', async () => {
  const server = await startCogServer();
  const backends = oneBackend({ provider: 'cog', url: server.url, callbacks: true });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  const paused: number[] = [];
  const callback = {
    url: 'https://atelier.example/callbacks/cb1.token',
    async pause(ms: number) {
      paused.push(ms);
      server.running.clear();
    },
  };
  const job = await newJob({ callback });
  server.running.add(`${job.generationId}-0`);
  expect(await runToEnd(createCogProvider({ backends }), job)).toHaveLength(1);
  expect(paused).toEqual([1_000]);
});

test.each([
  ['', undefined],
  ['no number', undefined],
  ['10% 20%\n 35.5% done', 0.35],
  ['100%', 1],
  ['900% 5 %', 0.05],
])('the log %j reports %s', (logs, progress) => {
  expect(readLogProgress(logs)).toBe(progress);
});
