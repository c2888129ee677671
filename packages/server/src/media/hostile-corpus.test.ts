import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sized, TEST_SEED } from '../../../../test/size.ts';
import { seededRandom } from '../platform/seeded-random.ts';
import type { AccountMedia } from './create-media.ts';
import { MediaRefused } from './media-facts.ts';
import { hostileFiles } from './testing/hostile-files.ts';
import { makeSamples } from './testing/make-samples.ts';
import { startMedia, type TestMedia } from './testing/start-media.ts';

const MIN_FILES = 500;
const MIN_REFUSED = sized({ ci: 40, full: 200 });
/** One in so many files is judged. */
const ONE_IN = sized({ ci: 4, full: 1 });
const MAX_ANSWER_MS = 15_000;
const IN_FLIGHT = 4;
/** Every n-th file, by its index and not by completion order, also gets previews and a clean copy if readable. */
const FULL_TREATMENT_EVERY = 4;

let started: TestMedia;
let dir: string;
let media: AccountMedia;
let samples: Record<string, string>;

beforeAll(async () => {
  started = await startMedia();
  ({ dir, media } = started);
  samples = await makeSamples(join(dir, 'samples'));
});

afterAll(() => started?.stop());

test('a hostile file yields facts or a refusal', { timeout: 240_000 }, async () => {
  const wrong: string[] = [];
  const random = seededRandom(TEST_SEED);
  console.info(`one in ${ONE_IN} files, TEST_SEED=${TEST_SEED}`);
  let [files, refused, accepted, slowestMs] = [0, 0, 0, 0];

  const judge = async (name: string, path: string, expected: string | undefined, number: number) => {
    const startedAt = performance.now();
    let verdict: 'accepted' | 'refused';
    try {
      const facts = await media.inspect({ path, purpose: 'upload' });
      if (number % FULL_TREATMENT_EVERY === 0) {
        const outDir = `${path}-out`;
        await media.makePreviews({ path, facts, outDir });
        await media.stripMetadata({ path, mimeType: facts.mimeType, outPath: join(outDir, 'clean') });
        await rm(outDir, { recursive: true, force: true });
      }
      verdict = 'accepted';
      accepted++;
    } catch (error) {
      if (!(error instanceof MediaRefused)) wrong.push(`${name}: ${error}`);
      verdict = 'refused';
      refused++;
    }
    const tookMs = performance.now() - startedAt;
    slowestMs = Math.max(slowestMs, tookMs);
    if (tookMs > MAX_ANSWER_MS + 1000) wrong.push(`${name}: ${Math.round(tookMs)} ms`);
    if (expected && verdict !== expected) wrong.push(`${name} (#${number}): ${verdict}`);
    await rm(path, { force: true });
  };

  const flying = new Set<Promise<void>>();
  for await (const { name, bytes, expect: expected } of hostileFiles(samples)) {
    const number = files++;
    // Those that must be accepted are few, and prove that not everything is refused.
    if (expected !== 'accepted' && random() * ONE_IN >= 1) continue;
    const path = join(dir, `file-${number}`);
    await writeFile(path, bytes);
    const flight: Promise<void> = judge(name, path, expected, number).finally(() => flying.delete(flight));
    flying.add(flight);
    if (flying.size >= IN_FLIGHT) await Promise.race(flying);
  }
  await Promise.all(flying);

  console.info(
    `of ${files} files: ${accepted} accepted, ${refused} refused, slowest ${Math.round(slowestMs)} ms, incidents ${JSON.stringify(started.incidents)}`,
  );
  expect(wrong).toEqual([]);
  expect(files).toBeGreaterThanOrEqual(MIN_FILES);
  expect(refused).toBeGreaterThanOrEqual(MIN_REFUSED);
  expect(accepted).toBeGreaterThanOrEqual(Object.keys(samples).length);
});

test('data hidden behind a picture is not in its clean copy', { timeout: 30_000 }, async () => {
  for (const mimeType of ['image/png', 'image/jpeg', 'image/webp']) {
    const path = join(dir, 'polyglot');
    await writeFile(
      path,
      Buffer.concat([await readFile(samples[mimeType]!), Buffer.from('<script>alert(1)</script>')]),
    );
    await media.inspect({ path, purpose: 'upload' });
    await media.stripMetadata({ path, mimeType, outPath: join(dir, 'clean') });
    expect((await readFile(join(dir, 'clean'))).includes('script')).toBe(false);
    expect(await media.inspect({ path: join(dir, 'clean'), purpose: 'upload' })).toMatchObject({
      mimeType,
      width: 160,
    });
  }
});
