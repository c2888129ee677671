import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Polled, Provider, ProviderJob } from '../provider.ts';
import { type ComfyUiServer, startComfyUiServer } from '../testing/comfyui-server.ts';
import { oneBackend, picture, refusalOf, remoteJob, removeJobs, SECRET } from '../testing/remote-job.ts';
import { createComfyUiProvider } from './create-comfyui-provider.ts';

const graph = {
  '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'model.safetensors' } },
  '6': { class_type: 'CLIPTextEncode', inputs: { text: 'stored words', clip: ['4', 1] } },
  '3': { class_type: 'KSampler', inputs: { seed: 1, steps: 20, model: ['4', 0] } },
  '9': { class_type: 'SaveImage', inputs: { images: ['3', 0], filename_prefix: 'atelier/picture' } },
};
const route = {
  provider: 'comfyui',
  backend: 'gpu',
  workflow: 'plain.json',
  bind: { prompt: '6.inputs.text', seed: '3.inputs.seed' },
};
const picturesOf = (...names: string[]) => ({
  images: names.map((filename) => ({ filename, subfolder: '', type: 'output' })),
});

let dir: string;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workflows-'));
  const withPicture = { ...graph, '10': { class_type: 'LoadImage', inputs: { image: 'example.png' } } };
  await writeFile(join(dir, 'plain.json'), JSON.stringify(graph));
  await writeFile(join(dir, 'picture.json'), JSON.stringify(withPicture));
  await writeFile(
    join(dir, 'lost.json'),
    JSON.stringify({ ...graph, '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: 'gone' } } }),
  );
  await writeFile(join(dir, 'screen.json'), JSON.stringify({ nodes: [], links: [], version: 1 }));
});
afterAll(async () => {
  await rm(dir, { recursive: true });
  await removeJobs();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function setUp(options: Parameters<typeof startComfyUiServer>[0] = {}) {
  const server = await startComfyUiServer({ key: SECRET, ...options });
  const backends = oneBackend({ provider: 'comfyui', url: server.url });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  const create = (more: { recheckMs?: number } = {}) => createComfyUiProvider({ backends, workflowDir: dir, ...more });
  return { server, provider: create(), create, backends };
}

const newJob = (more: Partial<ProviderJob> = {}) =>
  remoteJob({ route, params: { prompt: 'a lighthouse', seed: 7 }, ...more });

async function begin(provider: Provider, job: ProviderJob): Promise<string> {
  const submitted = await provider.submit(job);
  if (!('handle' in submitted)) throw new Error('expected a handle');
  return submitted.handle;
}

async function pollUntil(provider: Provider, handle: string, job: ProviderJob, good: (polled: Polled) => boolean) {
  for (let tries = 0; tries < 100; tries += 1) {
    const polled = await provider.poll(handle, job);
    if (good(polled)) return polled;
    await sleep(30);
  }
  throw new Error('it did not come to that');
}
const isDone = ({ state }: Polled) => state === 'done';

async function finishWith(server: ComfyUiServer, outputs: Record<string, unknown>) {
  server.begin();
  server.finish(outputs);
}

describe('a run', () => {
  test('binds the values, follows the socket and fetches the saved files', async () => {
    const { server, provider } = await setUp();
    const job = await newJob();
    const handle = await begin(provider, job);
    expect(JSON.parse(handle)).toMatchObject({ provider: 'comfyui', backend: 'gpu', ids: [server.taken[0]?.id] });
    expect(server.taken[0]?.graph['6']?.inputs).toEqual({ text: 'a lighthouse', clip: ['4', 1] });
    expect(server.taken[0]?.graph['3']?.inputs.seed).toBe(7);
    await pollUntil(provider, handle, job, () => server.sockets() === 1);
    server.begin();
    server.tell('execution_cached', { nodes: ['4'] });
    server.tell('progress_state', {
      nodes: { '6': { state: 'finished', value: 1, max: 1 }, '3': { state: 'running', value: 10, max: 20 } },
    });
    await pollUntil(provider, handle, job, (polled) => polled.state === 'running' && polled.progress === 2.5 / 4);
    const asked = server.seen.length;
    await provider.poll(handle, job);
    expect(server.seen.length, 'the socket tells enough').toBe(asked);
    server.files.set('output//a.png', Buffer.from('picture'));
    server.finish({ '9': picturesOf('a.png') });
    const done = await pollUntil(provider, handle, job, isDone);
    expect(done.state === 'done' && (await readFile(done.outputs[0]?.path ?? '', 'utf8'))).toBe('picture');
    await sleep(50);
    expect(server.sockets()).toBe(0);
  });

  test('continues by polling when the socket drops or never opens', async () => {
    const { server, provider } = await setUp();
    const job = await newJob();
    const handle = await begin(provider, job);
    await pollUntil(provider, handle, job, () => server.sockets() === 1);
    server.dropSockets();
    server.files.set('output//a.png', Buffer.from('picture'));
    await finishWith(server, { '9': picturesOf('a.png') });
    expect((await pollUntil(provider, handle, job, isDone)).state).toBe('done');

    const mute = await setUp({ sockets: false });
    const other = await newJob();
    const second = await begin(mute.provider, other);
    mute.server.files.set('output//a.png', Buffer.from('picture'));
    expect(await mute.provider.poll(second, other)).toMatchObject({ state: 'running', pollAfterMs: 1_000 });
    await finishWith(mute.server, { '9': picturesOf('a.png') });
    expect((await pollUntil(mute.provider, second, other, isDone)).state).toBe('done');
  });

  test('starts once, however often it is submitted', async () => {
    const { server, provider, create } = await setUp();
    const job = await newJob();
    const first = await begin(provider, job);
    expect(await begin(create(), job)).toBe(first);
    server.begin();
    expect(await begin(create(), job)).toBe(first);
    server.files.set('output//a.png', Buffer.from('picture'));
    server.finish({ '9': picturesOf('a.png') });
    expect(await begin(create(), job)).toBe(first);
    expect(server.taken).toHaveLength(1);
    expect((await create().poll(first, job)).state).toBe('done');
  });

  test('sets filename_prefix for each generation: an identical graph from the cache would name an earlier file', async () => {
    const { server, provider } = await setUp();
    const params = { prompt: 'the same', seed: 7 };
    await begin(provider, await newJob({ params, outputs: 2 }));
    await begin(provider, await newJob({ params }));
    const prefixes = server.taken.map(({ graph: each }) => String(each['9']?.inputs.filename_prefix));
    expect(new Set(prefixes).size).toBe(3);
    expect(prefixes).toEqual(server.taken.map(({ id }) => `atelier/picture-${id}`));
  });

  test('reopens the socket when no message arrived between rechecks: the server dropped it with an older one', async () => {
    const { server, provider, create } = await setUp();
    const lease = new AbortController();
    const job = await newJob();
    const first = { ...job, signal: lease.signal };
    const handle = await begin(provider, first);
    await pollUntil(provider, handle, first, () => server.sockets() === 1);
    server.begin();
    const next = create({ recheckMs: 300 });
    await pollUntil(next, handle, job, (polled) => polled.state === 'running' && polled.pollAfterMs === 250);
    lease.abort();
    await pollUntil(next, handle, job, () => server.sockets() === 0);
    await pollUntil(next, handle, job, () => server.sockets() === 1);
    server.tell('execution_cached', { nodes: ['4', '6'] });
    await pollUntil(next, handle, job, (polled) => polled.state === 'running' && polled.progress === 0.5);
  });

  test('a second submit finds the first from 0.3.45 only: an older server runs it under its own id', async () => {
    const { server, provider, create } = await setUp({ takesIds: false, version: '0.3.44' });
    const job = await newJob();
    const first = await begin(provider, job);
    expect(await begin(create(), job)).not.toBe(first);
    expect(server.taken).toHaveLength(2);
  });

  test('restarts under a new id when it failed or the server lost it', async () => {
    const { server, provider } = await setUp();
    const job = await newJob();
    const first = await begin(provider, job);
    server.begin();
    server.fail('execution_interrupted', {});
    expect(await refusalOf(provider.poll(first, job))).toMatchObject({ code: 'unavailable', retryable: true });
    const second = await begin(provider, job);
    expect(second).not.toBe(first);
    server.restart();
    expect(await refusalOf(provider.poll(second, job))).toMatchObject({ code: 'unavailable', retryable: true });
    await begin(provider, job);
    expect(server.taken).toHaveLength(3);
  });

  test('uses the id of a server that ignores ours', async () => {
    const { server, provider } = await setUp({ takesIds: false, version: '0.2.1' });
    const job = await newJob();
    const handle = await begin(provider, job);
    expect(JSON.parse(handle).ids).toEqual(['own-1']);
    server.files.set('output//a.png', Buffer.from('picture'));
    await finishWith(server, { '9': picturesOf('a.png') });
    expect((await provider.poll(handle, job)).state).toBe('done');
  });

  test('without a seed gets a generated one, the same on every attempt and different for each output', async () => {
    const { server, provider } = await setUp();
    const job = await newJob({ params: { prompt: 'x' }, outputs: 2 });
    await begin(provider, job);
    const seeds = server.taken.map(({ graph: each }) => Number(each['3']?.inputs.seed));
    expect(seeds[1]).toBe((seeds[0] ?? 0) + 1);
    server.restart();
    await begin(provider, job);
    expect(server.taken.slice(2).map(({ graph: each }) => Number(each['3']?.inputs.seed))).toEqual(seeds);
  });
});

describe('files', () => {
  const pictureRoute = { ...route, workflow: 'picture.json', bind: { ...route.bind, image: '10.inputs.image' } };

  test('uploads are sent first, under our own names', async () => {
    const { server, provider } = await setUp();
    const job = await newJob({ route: pictureRoute, params: { prompt: 'x', image: 'upload' } });
    await begin(provider, { ...job, inputs: { image: [await picture(join(job.workDir, 'input-upload'))] } });
    const [name] = [...server.uploads.keys()];
    expect(name).toBe(`atelier/${job.generationId}-0.png`);
    expect(server.taken[0]?.graph['10']?.inputs.image).toBe(name);
  });

  test('images, videos, audio and 3D models are fetched; previews only if there is nothing else', async () => {
    const { server, provider } = await setUp();
    for (const name of [
      'output/films/a.mp4',
      'output//b.flac',
      'output/mesh/c.glb',
      'output/mesh/c.obj',
      'temp//p.png',
    ])
      server.files.set(name, Buffer.from(name));
    const stored = (filename: string, subfolder: string, type = 'output') => ({ filename, subfolder, type });
    const run = async (outputs: Record<string, unknown>, more: Partial<ProviderJob> = {}) => {
      const job = await newJob(more);
      const handle = await begin(provider, job);
      await finishWith(server, outputs);
      const polled = await provider.poll(handle, job);
      return polled.state === 'done' ? polled.outputs : [];
    };
    const textOf = async (path = '') => readFile(path, 'utf8');
    const preview = { images: [stored('p.png', '', 'temp')] };
    const [film] = await run({ '1': preview, '2': { gifs: [stored('a.mp4', 'films')] } });
    expect(await textOf(film?.path)).toBe('output/films/a.mp4');
    const [sound] = await run({ '2': { audio: [stored('b.flac', '')] } });
    expect(await textOf(sound?.path)).toBe('output//b.flac');
    const [solid, ...more] = await run({ '2': { '3d': [stored('c.glb', 'mesh'), stored('c.obj', 'mesh')] } });
    expect([await textOf(solid?.path), solid?.downloads?.[0]?.format, more.length]).toEqual([
      'output/mesh/c.glb',
      'obj',
      0,
    ]);
    expect(await run({ '1': preview })).toHaveLength(1);
    const [words] = await run({ '1': { text: ['Hello there.'] } }, { taskType: 'audio.stt' });
    expect(await textOf(words?.path)).toBe('Hello there.');
    const named = { ...route, outputs: ['1'] };
    const [chosen] = await run({ '1': preview, '2': { gifs: [stored('a.mp4', 'films')] } }, { route: named });
    expect(await textOf(chosen?.path)).toBe('temp//p.png');
  });

  test('an unusable workflow reports why', async () => {
    const { provider } = await setUp();
    const reason = async (more: Record<string, unknown>) =>
      (await refusalOf(provider.submit(await newJob({ route: { ...route, ...more } })))).message;
    expect(await reason({ workflow: 'screen.json' })).toContain('not in the API format');
    expect(await reason({ workflow: 'none.json' })).toContain('missing');
    expect(await reason({ workflow: 'a/../../etc/x.json' })).toContain('outside');
    expect(await reason({ bind: { prompt: '77.inputs.text' } })).toContain('no field 77.inputs.text');
    expect(provider.serves?.(route)).toBe(true);
    expect(provider.serves?.({ ...route, workflow: 'none.json' })).toBe(false);
  });
});

describe('refusals', () => {
  test("an error in a node bound to a param is the customer's; any other is not", async () => {
    const { provider } = await setUp();
    const steps = { ...route, bind: { prompt: '6.inputs.text', polycount: '3.inputs.steps' } };
    expect(
      await refusalOf(provider.submit(await newJob({ route: steps, params: { polycount: 1_000 } }))),
    ).toMatchObject({
      code: 'invalid_input',
      message: 'The backend rejected the request: KSampler: Value 1000 bigger than max of 100: steps',
    });
    expect(
      await refusalOf(provider.submit(await newJob({ route: { ...route, workflow: 'lost.json' } }))),
    ).toMatchObject({ code: 'unavailable' });
  });

  test('a failed graph is an internal failure that names the node', async () => {
    const { server, provider } = await setUp();
    const job = await newJob();
    const handle = await begin(provider, job);
    server.begin();
    server.fail('execution_error', {
      node_id: '3',
      node_type: 'KSampler',
      exception_type: 'torch.OutOfMemoryError',
      exception_message: 'at /opt/secret',
    });
    expect(await refusalOf(pollUntil(provider, handle, job, isDone))).toMatchObject({
      code: 'internal',
      message: 'The workflow failed in KSampler (torch.OutOfMemoryError).',
    });
  });
});

describe('cancel', () => {
  async function withTwo(version: string) {
    const { server, provider, backends } = await setUp({ version });
    const [ours, theirs] = [await newJob(), await newJob()];
    return { server, provider, ours, theirs, backends };
  }

  test('removes a waiting prompt from the queue', async () => {
    const { server, provider, ours, theirs } = await withTwo('0.3.64');
    await begin(provider, theirs);
    const handle = await begin(provider, ours);
    server.begin();
    await provider.cancel?.(handle, ours);
    expect([server.pending.length, server.running.length, server.interrupted]).toEqual([0, 1, []]);
  });

  test.each(['0.3.57', '0.3.64'])(
    'stops our running prompt: targeted interrupt exists since 0.3.57 (%s)',
    async (version) => {
      const { server, provider, ours, theirs } = await withTwo(version);
      const handle = await begin(provider, ours);
      await begin(provider, theirs);
      const item = server.begin();
      await provider.cancel?.(handle, ours);
      expect(server.interrupted).toEqual([item.id]);
      expect(server.pending).toHaveLength(1);
    },
  );

  test("never stops another generation's prompt", async () => {
    const { server, provider, ours, theirs } = await withTwo('0.3.64');
    const handle = await begin(provider, ours);
    await begin(provider, theirs);
    await finishWith(server, {});
    server.begin();
    await provider.cancel?.(handle, ours);
    expect(server.interrupted).toEqual([]);
    expect(server.seen.some(({ path }) => path === '/interrupt')).toBe(false);
  });

  test('sends no interrupt to an older server, which would stop whatever runs', async () => {
    const { server, provider, ours } = await withTwo('0.3.56');
    const handle = await begin(provider, ours);
    server.begin();
    await provider.cancel?.(handle, ours);
    expect(server.seen.some(({ path }) => path === '/interrupt')).toBe(false);
    expect(server.running).toHaveLength(1);
  });

  test('an open circuit never blocks a cancel', async () => {
    const { server, provider, ours, backends } = await withTwo('0.3.64');
    const handle = await begin(provider, ours);
    const item = server.begin();
    const { circuit } = backends.all[0]!;
    for (let failures = 0; failures < 5; failures += 1) circuit.failed();
    expect(circuit.state()).toBe('open');
    await provider.cancel?.(handle, ours);
    expect(server.interrupted).toEqual([item.id]);
  });
});
