import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** The seeded bugs quote the sources. Running them takes half an hour, so a quote that no longer fits is found here. */
test('every seeded bug still fits the sources', () => {
  const listed = spawnSync(process.execPath, ['chaos/mutants.ts', '--list'], { cwd: ROOT, encoding: 'utf8' });
  expect(listed.stdout).toMatch(/\n[1-9]\d* mutants, 0 stale\n$/);
  expect(listed.status).toBe(0);
});
