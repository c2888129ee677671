import { afterEach, expect, test } from 'vitest';
import { createCogProvider } from '../cog/create-cog-provider.ts';
import { createFalProvider } from '../fal/create-fal-provider.ts';
import { createOpenAiProvider } from '../openai/create-openai-provider.ts';
import { startCogServer } from '../testing/cog-server.ts';
import { hostileAnswers } from '../testing/hostile-answers.ts';
import { oneBackend, refusalOf, remoteJob, removeJobs } from '../testing/remote-job.ts';
import { sendJson, startTestServer } from '../testing/test-server.ts';
import { checkHealth } from './check-health.ts';
import { watchBackends } from './watch-backends.ts';

const route = { backend: 'gpu', map: { prompt: 'prompt' } };
const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await removeJobs();
});

test('a backend that does not answer gets no work until a trial call succeeds', async () => {
  let nowMs = 0;
  const server = await startTestServer(hostileAnswers['closed socket']);
  const backends = oneBackend(
    { provider: 'openai', url: server.url, retries: 0, circuit: { failures: 2, pauseMs: 1_000 } },
    { nowMs: () => nowMs },
  );
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  const provider = createOpenAiProvider({ backends });
  const submit = async () => provider.submit(await remoteJob({ route, params: { prompt: 'x' } }));
  await refusalOf(submit());
  expect(provider.serves?.(route)).toBe(true);
  await refusalOf(submit());
  expect(provider.serves?.(route)).toBe(false);
  expect(await refusalOf(submit())).toMatchObject({ code: 'unavailable', retryable: true });
  expect(server.seen).toHaveLength(2);
  nowMs = 1_000;
  expect(provider.serves?.(route)).toBe(true);
  server.first.push((_seen, response) => sendJson(response, 400, { detail: 'no' }));
  expect(await refusalOf(submit())).toMatchObject({ code: 'invalid_input' });
  expect(backends.all[0]?.circuit.state()).toBe('closed');
});

test('a refusal is an answer and never opens the circuit', async () => {
  const server = await startTestServer((_seen, response) => sendJson(response, 422, { detail: 'no' }));
  const backends = oneBackend({ provider: 'openai', url: server.url, circuit: { failures: 1 } });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  const provider = createOpenAiProvider({ backends });
  for (let tries = 0; tries < 3; tries += 1)
    await refusalOf(provider.submit(await remoteJob({ route, params: { prompt: 'x' } })));
  expect(provider.serves?.(route)).toBe(true);
});

test("a job's deadline counts as a backend failure, a lost lease does not", async () => {
  const server = await startTestServer(hostileAnswers.silence);
  const backends = oneBackend({ provider: 'openai', url: server.url, circuit: { failures: 1 } });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  const provider = createOpenAiProvider({ backends });
  const lease = new AbortController();
  const lost = provider.submit(await remoteJob({ route, params: { prompt: 'x' }, signal: lease.signal }));
  setTimeout(() => lease.abort(new Error('lease lost')), 50);
  await expect(lost).rejects.toThrow('lease lost');
  expect(provider.serves?.(route)).toBe(true);
  const late = await remoteJob({
    route,
    params: { prompt: 'x' },
    signal: AbortSignal.any([
      AbortSignal.timeout(50),
      lease.signal.aborted ? new AbortController().signal : lease.signal,
    ]),
  });
  await expect(provider.submit(late)).rejects.toThrow('timeout');
  expect(provider.serves?.(route)).toBe(false);
});

test('each kind of server has its own health check', async () => {
  const asked: string[] = [];
  const server = await startTestServer(({ path }, response) => {
    asked.push(path);
    sendJson(response, path === '/models' ? 404 : 200, { status: 'READY' });
  });
  closing.push(() => server.close());
  for (const provider of ['openai', 'comfyui', 'cog', 'replicate']) {
    const backends = oneBackend({ provider, url: server.url });
    closing.push(() => backends.close());
    expect(await checkHealth(backends.all[0]!, new AbortController().signal)).toBe(true);
  }
  expect(asked).toEqual(['/models', '/system_stats', '/health-check', '/account']);
});

test('a watch disables the models of a Cog server whose setup failed, and enables them again', async () => {
  const server = await startCogServer();
  server.health = 'SETUP_FAILED';
  const backends = oneBackend({ provider: 'cog', url: server.url, circuit: { failures: 2, pauseMs: 20 } });
  const changes: string[] = [];
  const provider = createCogProvider({ backends });
  const told = Promise.withResolvers<void>();
  const watch = watchBackends(backends, {
    intervalMs: 10,
    onChange(name, open) {
      changes.push(`${name} ${open ? 'open' : 'closed'}`);
      if (open) {
        expect(provider.serves?.(route)).toBe(false);
        server.health = 'BUSY';
      } else told.resolve();
    },
  });
  closing.push(
    () => watch.close(),
    () => backends.close(),
    () => server.close(),
  );
  await told.promise;
  expect(changes).toEqual(['gpu open', 'gpu closed']);
  expect(provider.serves?.(route)).toBe(true);
});

test('a probe that connects but times out means busy, not broken', async () => {
  const server = await startTestServer(hostileAnswers.silence);
  const record = { circuit: { failures: 1, pauseMs: 60_000 }, timeouts: { callMs: 200 } };
  const [busy, down] = [
    oneBackend({ provider: 'cog', url: server.url, ...record }),
    oneBackend({ provider: 'cog', url: 'http://127.0.0.1:1', ...record }),
  ];
  closing.push(
    () => busy.close(),
    () => down.close(),
    () => server.close(),
  );
  for (let tries = 0; tries < 3; tries += 1) {
    await checkHealth(busy.all[0]!, new AbortController().signal);
    expect(busy.all[0]!.circuit.state()).toBe('closed');
  }
  await checkHealth(down.all[0]!, new AbortController().signal);
  expect(down.all[0]!.circuit.state()).toBe('open');
});

test('a probe opens a new connection: a reused one may have been dropped silently', async () => {
  const server = await startCogServer();
  const backends = oneBackend({ provider: 'cog', url: server.url });
  let connections = 0;
  server.server.on('connection', () => {
    connections += 1;
  });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  for (let tries = 0; tries < 3; tries += 1)
    expect(await checkHealth(backends.all[0]!, new AbortController().signal)).toBe(true);
  expect(connections).toBe(3);
});

test.each([
  ['cog', createCogProvider, 'replicate', 'POST /predictions/r1/cancel'],
  ['fal', createFalProvider, 'fal', 'PUT /studio/painter/requests/r1/cancel'],
  ['openai', createOpenAiProvider, 'openai', 'DELETE /videos/r1'],
] as const)('an open circuit never blocks a cancel: %s', async (_name, create, provider, call) => {
  const server = await startTestServer((_seen, response) => sendJson(response, 200, {}));
  const backends = oneBackend({ provider, url: server.url, circuit: { failures: 1, pauseMs: 60_000 } });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  const { circuit } = backends.all[0]!;
  circuit.enter();
  circuit.failed();
  const ids = [provider === 'fal' ? 'studio:painter:r1' : 'r1'];
  await create({ backends }).cancel?.(JSON.stringify({ provider, backend: 'gpu', ids }), await remoteJob({ route }));
  expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([call]);
  expect(circuit.state(), 'a cancel is no proof that the backend can work').toBe('open');
});
