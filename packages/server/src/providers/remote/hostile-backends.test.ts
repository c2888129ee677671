import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import { createCogProvider } from '../cog/create-cog-provider.ts';
import { createComfyUiProvider } from '../comfyui/create-comfyui-provider.ts';
import { createOpenAiProvider } from '../openai/create-openai-provider.ts';
import { hostileAnswers } from '../testing/hostile-answers.ts';
import { oneBackend, refusalOf, remoteJob, removeJobs, SECRET } from '../testing/remote-job.ts';
import { type Respond, sendJson, startTestServer } from '../testing/test-server.ts';
import { saveOutput } from './outputs/save-output.ts';

const MAX_BYTES = 200_000;
const CALL_MS = 400;
const repository = join(import.meta.dirname, '../../../../..');

afterAll(removeJobs);
const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function setUp(provider: string, respond: Respond, record: Record<string, unknown> = {}) {
  const server = await startTestServer(respond);
  const backends = oneBackend({
    provider,
    url: server.url,
    retries: 0,
    maxOutputBytes: MAX_BYTES,
    maxAnswerBytes: MAX_BYTES,
    timeouts: { callMs: CALL_MS, makeMs: CALL_MS, downloadMs: CALL_MS, busyMs: 1, awayMs: 0 },
    ...record,
  });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  return { server, backends };
}

const kinds = {
  openai: {
    create: createOpenAiProvider,
    route: { backend: 'gpu', map: { prompt: 'prompt' } },
    handle: { provider: 'openai', ids: ['v1'] },
  },
  cog: { create: createCogProvider, route: { backend: 'gpu', map: { prompt: 'prompt' } }, handle: null },
  replicate: {
    create: createCogProvider,
    route: { backend: 'gpu', model: 'a/b', waitSeconds: 0, map: { prompt: 'prompt' } },
    handle: { provider: 'replicate', ids: ['v1'] },
  },
  comfyui: {
    create: (options: Parameters<typeof createOpenAiProvider>[0]) =>
      createComfyUiProvider({ ...options, workflowDir: join(repository, 'catalog') }),
    route: { backend: 'gpu', workflow: 'workflows/sdxl-text-to-image.json', bind: {} },
    handle: { provider: 'comfyui', ids: ['v1'] },
  },
} as const;

const faults = Object.entries(hostileAnswers);

describe.each(Object.entries(kinds))('%s', (name, { create, route, handle }) => {
  test.each(faults)('a submit to a server that answers with %s fails quickly', async (_fault, respond) => {
    const { backends } = await setUp(name, respond);
    const startedAtMs = Date.now();
    const refusal = await refusalOf(create({ backends }).submit(await remoteJob({ route, params: { prompt: 'x' } })));
    expect(Date.now() - startedAtMs).toBeLessThan(3_000);
    expect(['unavailable', 'timeout', 'internal']).toContain(refusal.code);
    expect(refusal.message).not.toContain(SECRET);
    expect(refusal.message).not.toContain('127.0.0.1');
  });

  test.each(handle === null ? [] : faults)(
    'a poll of a server that answers with %s fails quickly',
    async (_fault, respond) => {
      const { backends } = await setUp(name, respond);
      const job = await remoteJob({ route, params: { prompt: 'x' } });
      const refusal = await refusalOf(create({ backends }).poll(JSON.stringify({ ...handle, backend: 'gpu' }), job));
      expect(['unavailable', 'timeout', 'internal']).toContain(refusal.code);
    },
  );

  test('an unreachable server', async () => {
    const { server, backends } = await setUp(name, () => {});
    await server.close();
    const refusal = await refusalOf(create({ backends }).submit(await remoteJob({ route, params: { prompt: 'x' } })));
    expect(refusal).toMatchObject({ code: 'unavailable', message: 'The backend cannot be reached.', retryable: true });
  });
});

describe('a download', () => {
  async function fetched(respond: Respond, record: Record<string, unknown> = {}) {
    const { backends, server } = await setUp('openai', respond, record);
    const job = await remoteJob({ route: {} });
    const path = join(job.workDir, 'file');
    const run = saveOutput(backends.all[0]!, { url: `${server.url}/file`, path, signal: job.signal });
    return { run, job, path, server };
  }

  test.each(['endless', 'ten gigabytes'] as const)('of %s bytes is refused and leaves no file', async (fault) => {
    const { run, job } = await fetched(hostileAnswers[fault]);
    expect(await refusalOf(run)).toMatchObject({
      code: 'internal',
      message: `The response of the backend exceeds the limit of ${MAX_BYTES} bytes.`,
      retryable: false,
    });
    expect(await readdir(job.workDir)).toEqual([]);
  });

  test.each(['drip', 'silence', 'broken off', 'closed socket'] as const)('that ends in %s fails', async (fault) => {
    const { run, job } = await fetched(hostileAnswers[fault]);
    expect(await refusalOf(run)).toMatchObject({ retryable: true });
    expect(await readdir(job.workDir)).toEqual([]);
  });

  test('follows a redirect to the backend itself, and to nowhere else', async () => {
    const home = await fetched(({ path }, response) =>
      path === '/file' ? response.writeHead(307, { location: '/moved' }).end() : response.end('bytes'),
    );
    await home.run;
    expect((await stat(home.path)).size).toBe(5);
    const away = await fetched(hostileAnswers.redirect);
    expect(await refusalOf(away.run)).toMatchObject({ code: 'internal', retryable: false });
    const round = await fetched((_seen, response) => response.writeHead(302, { location: '/file' }).end());
    expect((await refusalOf(round.run)).message).toContain('Too many redirects');
  });

  test('that was interrupted is retried', async () => {
    const { run, server, path } = await fetched((_seen, response) => response.end('bytes'), { retries: 2 });
    server.first.push(hostileAnswers['closed socket'], (_seen, response) => sendJson(response, 503, {}));
    await run;
    expect((await stat(path)).size).toBe(5);
    expect(server.seen).toHaveLength(3);
  });
});

test('a call that the backend may have received is not repeated', async () => {
  const { server, backends } = await setUp('openai', hostileAnswers['closed socket'], { retries: 3 });
  const provider = createOpenAiProvider({ backends });
  await refusalOf(provider.submit(await remoteJob({ route: kinds.openai.route, params: { prompt: 'x' } })));
  expect(server.seen).toHaveLength(1);
});

test('concurrent open calls stay within the limit of the backend', async () => {
  let [now, most] = [0, 0];
  const { backends } = await setUp(
    'openai',
    (_seen, response) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        sendJson(response, 200, { data: [{ b64_json: 'eA==' }] });
      }, 30);
    },
    { concurrency: 2, timeouts: { makeMs: 5_000 } },
  );
  const provider = createOpenAiProvider({ backends });
  const ending = new AbortController();
  const jobs = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      remoteJob({
        route: kinds.openai.route,
        params: { prompt: 'x' },
        ...(index === 7 ? { signal: ending.signal } : {}),
      }),
    ),
  );
  const runs = Promise.allSettled(jobs.map((job) => provider.submit(job)));
  ending.abort(new Error('lease lost'));
  expect((await runs).map(({ status }) => status)).toEqual([...Array(7).fill('fulfilled'), 'rejected']);
  expect(most).toBe(2);
});
