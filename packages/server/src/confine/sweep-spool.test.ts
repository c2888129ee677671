import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeSpoolDir, sweepSpool } from './sweep-spool.ts';

test('removes the directories of ended processes and keeps all others', () => {
  const spoolDir = mkdtempSync(join(tmpdir(), 'sweep-spool-'));
  try {
    const { pid: endedPid } = spawnSync('true');
    const kept = join(spoolDir, 'uploads');
    mkdirSync(kept);
    for (const use of ['probe', 'confine'] as const) {
      const own = makeSpoolDir({ spoolDir, use });
      const stale = makeSpoolDir({ spoolDir, use }).replace(`-${process.pid}-`, `-${endedPid}-`);
      renameSync(stale.replace(`-${endedPid}-`, `-${process.pid}-`), stale);
      sweepSpool(spoolDir);
      expect([own, stale, kept].map((dir) => existsSync(dir))).toEqual([true, false, true]);
    }
  } finally {
    rmSync(spoolDir, { recursive: true, force: true });
  }
});
