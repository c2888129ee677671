import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '../platform/spool.ts';

const USES = ['probe', 'confine'] as const;
const OURS = new RegExp(`^(?:${USES.join('|')})-(\\d+)-`);

/** Makes a directory whose name contains the id of this process. */
export function makeSpoolDir({ spoolDir, use }: { spoolDir: string; use: (typeof USES)[number] }): string {
  return mkdtempSync(join(spoolDir, `${use}-${process.pid}-`));
}

/** Removes the directories of processes that no longer run: they may hold customers' files. */
export function sweepSpool(spoolDir: string): void {
  for (const name of readdirSync(spoolDir)) {
    const pid = OURS.exec(name)?.[1];
    if (pid !== undefined && !isProcessAlive(Number(pid)))
      rmSync(join(spoolDir, name), { recursive: true, force: true });
  }
}
