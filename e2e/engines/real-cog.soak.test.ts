import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCogProvider } from '@atelier/server/providers/cog/create-cog-provider.ts';
import type { ProviderJob } from '@atelier/server/providers/provider.ts';
import { checkHealth } from '@atelier/server/providers/remote/check-health.ts';
import {
  oneBackend,
  picture,
  refusalOf,
  remoteJob,
  removeJobs,
  runToEnd,
} from '@atelier/server/providers/testing/remote-job.ts';
import { startTestServer } from '@atelier/server/providers/testing/test-server.ts';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, until } from '../harness/client.ts';
import { type RealCog, startRealCog } from './cog-server.ts';

const route = {
  provider: 'cog',
  backend: 'gpu',
  map: { image: 'image', style: 'mode', duration: 'seconds' },
};
/** The capabilities of each release, observed on the real server. */
const RELEASES = [
  { version: '0.9.9', answersWhileBusy: false, cancels: false },
  { version: '0.14.12', answersWhileBusy: true, cancels: true },
  { version: '0.16.11', answersWhileBusy: false, cancels: true },
] as const;

afterAll(removeJobs);

describe.each(RELEASES)('real Cog $version', ({ version, answersWhileBusy, cancels }) => {
  let cog: RealCog;
  let backends: ReturnType<typeof oneBackend>;
  let provider: ReturnType<typeof createCogProvider>;

  beforeAll(async () => {
    cog = await startRealCog(version);
    backends = oneBackend({
      provider: 'cog',
      url: cog.url,
      timeouts: { callMs: 1_000, makeMs: 30_000, busyMs: 15_000 },
      circuit: { failures: 1, pauseMs: 60_000 },
    });
    provider = createCogProvider({ backends });
  });
  afterAll(async () => {
    await backends?.close();
    await cog?.stop();
  });
  const circuit = () => backends.all[0]!.circuit;
  const newJob = async (more: Partial<ProviderJob>) => {
    const job = await remoteJob({ route, generationId: randomUUID(), ...more });
    const path = await picture(join(job.workDir, 'input-a'), { colour: '#c04020' });
    return { ...job, params: { image: 'upload', ...job.params }, inputs: { image: [path] } };
  };
  const isReady = async () => (await call(cog.url, 'GET /health-check', { timeoutMs: 15_000 })).body.status === 'READY';

  test('a health check of an idle server', async () => {
    expect(await checkHealth(backends.all[0]!, new AbortController().signal)).toBe(true);
    expect(circuit().state()).toBe('closed');
  });

  test('an image is returned inverted', async () => {
    const [output] = await runToEnd(provider, await newJob({}));
    const { data } = await sharp(output!.path).raw().toBuffer({ resolveWithObject: true });
    expect([...data.subarray(0, 3)]).toEqual([0x3f, 0xbf, 0xdf]);
  });

  test('a large image is processed', async () => {
    const job = await newJob({});
    const path = job.inputs.image[0]!;
    const side = 800;
    await sharp(randomBytes(side * side * 3), { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 0 })
      .toFile(path);
    const [output] = await runToEnd(provider, job);
    expect(await sharp(output!.path).metadata()).toMatchObject({ width: side, height: side });
  });

  test('a model failure is reported with its reason and not retried', async () => {
    expect(await refusalOf(provider.submit(await newJob({ params: { style: 'fail' } })))).toMatchObject({
      code: 'internal',
      message: 'The backend failed: the model failed on purpose',
      retryable: false,
    });
  });

  test('an unknown input is named in the error', async () => {
    const refusal = await refusalOf(provider.submit(await newJob({ params: { style: 'explode' } })));
    expect(refusal).toMatchObject({ code: 'invalid_input', retryable: false });
    expect(refusal.message).toContain('mode');
  });

  test('a probe that connects but times out means busy, not broken', async () => {
    const run = provider.submit(await newJob({ params: { duration: 4 } }));
    await sleep(700);
    const healthy = await checkHealth(backends.all[0]!, new AbortController().signal);
    expect(healthy, 'whether this release responds during a prediction').toBe(answersWhileBusy);
    expect(circuit().state()).toBe('closed');
    expect(provider.serves?.(route)).toBe(true);
    expect(await run).toHaveProperty('outputs');
  });

  test('work for a busy server waits for its turn', async () => {
    const first = provider.submit(await newJob({ params: { duration: 1.5 } }));
    await sleep(300);
    expect(await provider.submit(await newJob({}))).toHaveProperty('outputs');
    expect(await first).toHaveProperty('outputs');
  });

  test(`a canceled run ${cancels ? 'stops immediately' : 'cannot be stopped and runs to its end'}, even while the circuit breaker is open`, async () => {
    const ending = new AbortController();
    const begun = Date.now();
    const run = provider.submit(await newJob({ params: { duration: 6 }, signal: ending.signal }));
    await sleep(700);
    circuit().failed();
    expect(circuit().state()).toBe('open');
    ending.abort(new Error('lease lost'));
    await expect(run).rejects.toThrow('lease lost');
    circuit().succeeded();
    await until('the server is idle', isReady, 20_000);
    expect(Date.now() - begun < 5_000).toBe(cancels);
  });

  test('a callback arrives when the run ends, if the backend supports callbacks', async () => {
    const receiver = await startTestServer((_seen, response) => response.writeHead(202).end());
    const telling = oneBackend({ provider: 'cog', url: cog.url, callbacks: true, timeouts: { makeMs: 30_000 } });
    try {
      const callback = { url: `${receiver.url}/callbacks/token`, pause: (ms: number) => sleep(ms) };
      expect(await createCogProvider({ backends: telling }).submit(await newJob({ callback }))).toHaveProperty(
        'outputs',
      );
      await until('the callback has arrived', async () => receiver.seen.length > 0, 10_000);
      expect(receiver.seen.map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /callbacks/token']);
    } finally {
      await telling.close();
      await receiver.close();
    }
  });

  test('a run of a killed worker is stopped or awaited, then run again', async () => {
    const job = await newJob({ params: { duration: 2 } });
    // The request of a killed worker is still open on the server.
    const image = `data:image/png;base64,${await readFile(job.inputs.image[0]!, 'base64')}`;
    const left = call(cog.url, `PUT /predictions/${job.generationId}-0`, {
      json: { input: { image, seconds: 2 } },
      timeoutMs: 15_000,
    }).catch(() => null);
    await sleep(500);
    expect(await runToEnd(provider, job)).toHaveLength(1);
    await left;
  });
});
