import { expect, test } from 'vitest';
import { json, problem, type Reply, type SeenRequest, startScriptedServer } from '../testing/scripted-server.ts';
import {
  Atelier,
  GenerationCanceledError,
  GenerationFailedError,
  type GenerationProgress,
  GenerationTimeoutError,
} from './index.ts';

const BODY = { modelId: 'canvas', params: { prompt: 'a lake' }, maxCoins: 7 } as const;
const generation = (fields: object = {}) => ({
  ...{ id: 'g1', status: 'queued', progress: null, queuePosition: 1, outputs: [], error: null },
  ...fields,
});
const event = (type: string, ended: object) =>
  `id: p1\nevent: ${type}\ndata: ${JSON.stringify({ type, data: { generation: ended } })}\n\n`;
const progress = (fields: object) => `event: generation.progress\ndata: ${JSON.stringify({ id: 'g1', ...fields })}\n\n`;

/** Routes by operation, because the stream and the reads are concurrent. */
function route(replies: Record<string, Reply>): Reply {
  return (request, response) => {
    const name = Object.keys(replies).find((each) => `${request.method} ${request.url}`.startsWith(each));
    (name === undefined ? problem(404, 'not_found') : replies[name]!)(request, response);
  };
}

const open =
  (text: string): Reply =>
  (_request, response) =>
    void response.writeHead(200).write(`id: p0\n\n${text}`);
const reads = (seen: readonly SeenRequest[]) => seen.filter(({ url }) => url === '/v1/generations/g1').length;

async function start(replies: Record<string, Reply>) {
  const server = await startScriptedServer(route({ 'POST /v1/generations': json(generation(), 201), ...replies }));
  return { server, client: new Atelier({ baseUrl: server.url, apiKey: 'key' }) };
}

test('the event ends the wait without polling', async () => {
  const { server, client } = await start({
    'GET /v1/events/stream': open(
      progress({ status: 'processing', progress: 0.5 }) +
        event('generation.succeeded', generation({ status: 'succeeded' })),
    ),
    'GET /v1/generations/g1': json(generation()),
  });
  await using _server = server;
  const seen: GenerationProgress[] = [];
  const ended = await client.generations.run(BODY, { onProgress: (each) => seen.push(each) });
  expect(ended.status).toBe('succeeded');
  expect(seen[0]).toMatchObject({ status: 'queued', queuePosition: 1 });
  expect(seen).toContainEqual({ id: 'g1', status: 'processing', progress: 0.5 });
  expect(reads(server.seen)).toBeLessThanOrEqual(1);
});

test('an end before the stream opened is read once', async () => {
  const { server, client } = await start({
    'GET /v1/events/stream': open(''),
    'GET /v1/generations/g1': json(generation({ status: 'succeeded' })),
  });
  await using _server = server;
  await client.generations.run(BODY);
  expect(reads(server.seen)).toBe(1);
});

test('a key that must not open the stream polls, no faster than every two seconds', async () => {
  const times: number[] = [];
  const { server, client } = await start({
    'GET /v1/generations/g1': (request, response) => {
      times.push(performance.now());
      json(generation({ status: times.length === 2 ? 'succeeded' : 'processing' }))(request, response);
    },
  });
  await using _server = server;
  await client.generations.run(BODY);
  expect(times).toHaveLength(2);
  expect(times[1]! - times[0]!).toBeGreaterThan(1_900);
});

test('a failure and a cancel are errors with the generation', async () => {
  const failed = generation({ status: 'failed', error: { code: 'content_policy', message: 'Refused' } });
  const { server, client } = await start({
    'GET /v1/events/stream': open(event('generation.failed', failed)),
    'GET /v1/generations/g1': json(generation()),
  });
  await using _server = server;
  const error = await client.generations.run(BODY).catch((caught) => caught);
  expect(error).toBeInstanceOf(GenerationFailedError);
  expect(error).toMatchObject({ code: 'content_policy', message: 'Refused', generation: { id: 'g1' } });
  await expect(client.generations.wait(generation({ status: 'canceled' }) as never)).rejects.toBeInstanceOf(
    GenerationCanceledError,
  );
});

test('the timeout and the signal end the wait, and no connection stays', async () => {
  let closed = 0;
  const { server, client } = await start({
    'GET /v1/events/stream': (request, response) => {
      response.once('close', () => {
        closed += 1;
      });
      open('')(request, response);
    },
    'GET /v1/generations/g1': json(generation()),
  });
  await using _server = server;
  await expect(client.generations.run(BODY, { timeoutMs: 300 })).rejects.toBeInstanceOf(GenerationTimeoutError);
  await expect.poll(() => closed).toBe(1);
  const controller = new AbortController();
  const running = client.generations.run(BODY, {
    signal: controller.signal,
    onCreated: () => setTimeout(() => controller.abort(new Error('stop')), 100),
  });
  await expect(running).rejects.toThrow('stop');
  await expect.poll(() => closed).toBe(2);
});

test('many waits share one stream', async () => {
  let streams = 0;
  const { server, client } = await start({
    'GET /v1/events/stream': (request, response) => {
      streams += 1;
      open(event('generation.succeeded', generation({ status: 'succeeded' })))(request, response);
    },
    'GET /v1/generations/g1': json(generation()),
  });
  await using _server = server;
  await Promise.all(Array.from({ length: 20 }, () => client.generations.run(BODY)));
  expect(streams).toBe(1);
});

test('files among the params are uploaded once, and strings are ids', async () => {
  let uploads = 0;
  const { server, client } = await start({
    'POST /v1/uploads': (request, response) => {
      uploads += 1;
      json({ id: `u${uploads}` }, 201)(request, response);
    },
    'GET /v1/events/stream': open(event('generation.succeeded', generation({ status: 'succeeded' }))),
    'GET /v1/generations/g1': json(generation()),
  });
  await using _server = server;
  const file = new Blob(['picture']);
  const stream = new Blob(['streamed']).stream();
  await client.generations.run({
    modelId: 'm',
    params: {
      image: file,
      images: [file, 'known-id'],
      mask: Promise.resolve(new Uint8Array(3)),
      video: stream as never,
    },
    maxCoins: 1,
  });
  const created = server.seen.find(({ url, method }) => url === '/v1/generations' && method === 'POST');
  const { params } = JSON.parse(created?.body ?? '');
  expect(params.images).toEqual([params.image, 'known-id']);
  expect(new Set([params.image, params.mask, params.video]).size).toBe(3);
  expect(uploads).toBe(3);
});
