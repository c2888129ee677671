import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { sized } from '../../test/size.ts';
import { until } from '../harness/client.ts';
import { type EngineStack, startEngineStack, UPSCALE } from './engine-stack.ts';

const SIDE_PIXELS = sized({ ci: 256, full: 512 });
const RESUME_WITHIN_MS = 150_000;
const GONE_WITHIN_MS = 2_000;
const TIDY_WITHIN_MS = 20_000;

let engines: EngineStack;
let image: string;

beforeAll(async () => {
  engines = await startEngineStack({ models: [UPSCALE], workers: 1 });
  image = await engines.uploadPhotograph(SIDE_PIXELS);
});
afterEach(() => engines.stack.assertBooks());
afterAll(() => engines?.stop());

/** Engine processes on this machine that belong to this stack. */
function childrenOf(spoolRoot: string): number {
  try {
    return Number(execFileSync('pgrep', ['-fc', `bwrap .*${spoolRoot}.*engine-child`], { encoding: 'utf8' }));
  } catch {
    return 0;
  }
}

test('a worker killed during an upscale: resumed elsewhere, settled once, nothing left behind', async () => {
  const spoolRoot = engines.stack.env['TMPDIR']!;
  const { id } = await engines.submit(UPSCALE, { image });
  await until('it is running', async () => ((await engines.read(id)).progress ?? 0) > 0.1, 60_000);
  expect(childrenOf(spoolRoot)).toBeGreaterThan(0);
  const [worker] = engines.stack.members.filter(({ role }) => role === 'worker');
  const killedAt = performance.now();
  worker!.signal('SIGKILL');
  await worker!.gone();
  while (childrenOf(spoolRoot) > 0) {
    if (performance.now() - killedAt > GONE_WITHIN_MS) throw new Error('the engine process survived its worker');
    await sleep(20);
  }
  const childGoneMs = Math.round(performance.now() - killedAt);
  await engines.stack.start('worker');
  const ended = await until(
    'it ends',
    async () => {
      const generation = await engines.read(id);
      return generation.completedAt !== null && generation;
    },
    RESUME_WITHIN_MS,
    250,
  );
  const tookMs = Math.round(performance.now() - killedAt);
  console.info(`child ended after ${childGoneMs} ms; resumed and settled ${tookMs} ms after the kill`);
  expect(ended).toMatchObject({ status: 'succeeded', outputs: [{ width: SIDE_PIXELS * 2, height: SIDE_PIXELS * 2 }] });
  expect(ended.coinsCharged).toBe(ended.coinsQuoted);
  const { rows } = await engines.stack.db.pool.query<{ kind: string }>(
    'SELECT kind FROM transfer WHERE generation_id = $1 ORDER BY id',
    [id],
  );
  expect(rows.map(({ kind }) => kind).filter((kind) => kind === 'capture')).toHaveLength(1);
  const living = new Set(engines.stack.members.filter((member) => member.alive()).map(({ pid }) => String(pid)));
  await until(
    'the files of the killed worker are deleted',
    async () => {
      const spools = (await readdir(spoolRoot)).filter((name) => name.startsWith('atelier-spool-'));
      return spools.every((name) => living.has(name.split('-').at(-2)!));
    },
    TIDY_WITHIN_MS,
  );
  for (const name of await readdir(spoolRoot)) {
    if (!name.startsWith('atelier-spool-')) continue;
    const left = await readdir(join(spoolRoot, name));
    expect(left.filter((each) => each.startsWith('run-'))).toEqual([]);
  }
});
