import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isEngineDigestCurrent, writeEngineDigest } from './engine-digest.ts';

test('the digest changes with every input of the engine tests, and with nothing else', async () => {
  const root = await mkdtemp(join(tmpdir(), 'atelier-digest-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  for (const folder of ['packages/engines/src', 'catalog/models', 'docs', 'test']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  await writeFile(join(root, 'catalog/models/a.yaml'), 'a');
  expect(await isEngineDigestCurrent(root)).toBe(false);
  await writeEngineDigest(root);
  expect(await isEngineDigestCurrent(root)).toBe(true);

  await writeFile(join(root, 'docs/a.md'), 'a');
  expect(await isEngineDigestCurrent(root)).toBe(true);
  // A new file counts before it is committed.
  await writeFile(join(root, 'packages/engines/src/a.ts'), 'a');
  expect(await isEngineDigestCurrent(root)).toBe(false);
  await rm(join(root, 'packages/engines/src/a.ts'));
  expect(await isEngineDigestCurrent(root)).toBe(true);
  await writeFile(join(root, 'catalog/models/a.yaml'), 'b');
  expect(await isEngineDigestCurrent(root)).toBe(false);
});
