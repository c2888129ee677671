import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ProviderError, type ProviderJob } from '../provider.ts';
import { createLocalProvider, type LocalProvider } from './create-local-provider.ts';

const MEMORY_MB = 400;
const [ODD, HEAVY] = ['odd', 'odd-heavy'];
const odd = { module: new URL('./testing/odd-engine.ts', import.meta.url), weights: [], programs: [], packages: [] };
const table = {
  [ODD]: { ...odd, memoryMb: MEMORY_MB, heavy: false },
  [HEAVY]: { ...odd, memoryMb: MEMORY_MB, heavy: true },
};
const incidents: string[] = [];
let dir: string;
let local: LocalProvider;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-local-'));
  local = createLocalProvider({
    confinement: 'bwrap',
    spoolDir: dir,
    weightsDir: join(dir, 'weights'),
    available: new Set([ODD, HEAVY]),
    cores: 2,
    idleMs: 60_000,
    table,
    onIncident: ({ reason }) => incidents.push(reason),
  });
});

afterAll(async () => {
  await local?.close();
  expect((await readdir(dir)).filter((name) => name.startsWith('engine-'))).toEqual([]);
  await rm(dir, { recursive: true, force: true });
});

async function run(
  settings: Record<string, unknown>,
  options: Partial<ProviderJob> = {},
): Promise<Record<string, unknown>> {
  const workDir = await mkdtemp(join(dir, 'run-'));
  const answer = await local.submit({
    generationId: 'g',
    modelId: 'm',
    taskType: 'image.effect',
    params: {},
    inputs: {},
    effectId: null,
    effectSettings: {},
    outputs: 1,
    workDir,
    deadlineAt: new Date(Date.now() + 60_000),
    route: { engine: ODD, ...settings },
    signal: AbortSignal.timeout(60_000),
    report: () => {},
    ...options,
  });
  if (!('outputs' in answer)) throw new Error('no outputs');
  expect(answer.outputs[0]!.path.startsWith(workDir)).toBe(true);
  return JSON.parse(await readFile(answer.outputs[0]!.path, 'utf8')) as Record<string, unknown>;
}

/** Processes anywhere below this one whose command says so. */
const countProcesses = (pattern: string) => {
  try {
    return execFileSync('pgrep', ['-fc', pattern], { encoding: 'utf8' }).trim();
  } catch {
    return '0';
  }
};

describe('a run', { timeout: 60_000 }, () => {
  test('gets its inputs and params, reports progress, and its child is reused', async () => {
    const input = join(dir, 'input-1');
    await writeFile(input, 'words');
    const told: number[] = [];
    const options = {
      inputs: { image: [input] },
      params: { prompt: 'x' },
      report: (part: number) => void told.push(part),
    };
    const first = await run({}, options);
    expect(first).toMatchObject({ params: { prompt: 'x' }, inputs: { image: ['words'] } });
    expect(told).toEqual([0.25, 0.5, 0.75, 1]);
    expect((await run({}))['child']).toBe(first['child']);
  });

  test('sees no environment, no files of the service and no network', async () => {
    const secretPath = join(dir, 'secret');
    await writeFile(secretPath, 'hidden');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const seen = await run({ does: 'look', secretPath, port: (server.address() as AddressInfo).port });
    server.close();
    expect(seen['environment']).toEqual(['LANG', 'PATH', 'PWD']);
    expect(String(seen['secret'])).toContain('ENOENT');
    expect(seen['network']).not.toBe('reached');
  });

  test('that refuses tells the customer why, and its child is kept', async () => {
    const { child } = await run({});
    const refusal = run({ does: 'refuse' });
    await expect(refusal).rejects.toThrow(ProviderError);
    await expect(refusal).rejects.toMatchObject({ code: 'invalid_input', message: 'Only apples are known here.' });
    expect((await run({}))['child']).toBe(child);
  });

  test('that fails or crashes reveals no internals', async () => {
    await expect(run({ does: 'break' })).rejects.toMatchObject({
      code: 'internal',
      retryable: false,
      message: expect.not.stringContaining('cog'),
    });
    await expect(run({ does: 'crash' })).rejects.toMatchObject({ code: 'internal', retryable: true });
    expect(incidents).toEqual(['broken', 'crash']);
  });

  test('that names a file outside its folder fails', async () => {
    await expect(run({ does: 'escape' })).rejects.toMatchObject({ code: 'internal' });
    await expect(run({ does: 'link' })).rejects.toMatchObject({ code: 'internal' });
  });

  test('that replaces its output folder by a symlink gets no file of another run, and its child is not reused', async () => {
    const { child } = await run({});
    const other = await mkdtemp(join(dir, 'run-'));
    await writeFile(join(other, 'secret.png'), "another customer's picture");
    await expect(run({ does: 'replace-out', target: other, name: 'secret.png' })).rejects.toMatchObject({
      code: 'internal',
      message: expect.not.stringContaining('secret'),
    });
    expect(await readdir(other)).toEqual(['secret.png']);
    expect(incidents.at(-1)).toBe('boundary');
    expect((await run({}))['child']).not.toBe(child);
  });

  test('can write nowhere but in its own folder and its own /tmp', async () => {
    expect(await run({ does: 'write-anywhere' })).toMatchObject({
      '/': 'EROFS',
      '/app': 'EROFS',
      '/dev': 'EROFS',
      '/dev/shm': 'EROFS',
      '/usr': 'EROFS',
      '/tmp': 'written',
    });
  });

  test('has temporary space of a fixed size, which counts against its memory', async () => {
    const seen = await run({ does: 'fill-tmp' });
    expect(seen).toMatchObject({ full: 'ENOSPC', writtenMb: expect.any(Number) });
    expect(seen['writtenMb']).toBeLessThanOrEqual(MEMORY_MB / 2);
    expect(seen['writtenMb']).toBeGreaterThan(MEMORY_MB / 2 - 10);
    // Neither its memory nor its files exceed the limit; both together do.
    await expect(run({ does: 'fill-tmp', holdsMb: MEMORY_MB / 2, waitMs: 5_000 })).rejects.toMatchObject({
      message: expect.stringContaining('memory'),
    });
    expect(incidents.at(-1)).toBe('memory');
  });

  test(`that grows beyond ${MEMORY_MB} MB is ended`, async () => {
    await expect(run({ does: 'grow' })).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('memory'),
    });
    expect(incidents.at(-1)).toBe('memory');
  });

  test('that is aborted ends within two seconds with all its descendants', async () => {
    const controller = new AbortController();
    const hanging = run({ does: 'hang' }, { signal: controller.signal });
    hanging.catch(() => {});
    while (countProcesses('^sleep 987') === '0') await sleep(50);
    const abortedAt = performance.now();
    controller.abort(new Error('late'));
    await expect(hanging).rejects.toThrow('late');
    while (countProcesses('^sleep 987') !== '0') await sleep(20);
    const tookMs = Math.round(performance.now() - abortedAt);
    console.info(`an aborted run and its programs were gone after ${tookMs} ms`);
    expect(tookMs).toBeLessThan(2_000);
  });

  test('eight heavy runs on two cores run one after another and all complete', async () => {
    let [inside, most] = [0, 0];
    const report = (part: number) => {
      if (part === 0.25) most = Math.max(most, ++inside);
      if (part === 1) inside--;
    };
    const runs = Array.from({ length: 8 }, () => run({ engine: HEAVY, stepMs: 20 }, { report }));
    const children = new Set((await Promise.all(runs)).map((seen) => seen['child']));
    expect(most).toBe(1);
    expect(children.size).toBe(1);
  });

  test('that waits for a place does not wait beyond its deadline', async () => {
    const taken = Promise.withResolvers<void>();
    let running = true;
    const first = run({ engine: HEAVY, stepMs: 1_000 }, { report: () => taken.resolve() }).finally(() => {
      running = false;
    });
    await Promise.race([taken.promise, first]);
    await expect(run({ engine: HEAVY }, { signal: AbortSignal.timeout(200) })).rejects.toThrow();
    expect(running).toBe(true);
    await first;
  });

  test('of an engine that is not installed here is retried elsewhere', async () => {
    expect(local.serves?.({ engine: 'absent' })).toBe(false);
    await expect(run({ engine: 'absent' })).rejects.toMatchObject({ code: 'unavailable', retryable: true });
  });
});
