import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isProcessAlive } from '../platform/is-process-alive.ts';

const OURS = /^(?:probe|confinement)-(\d+)-/;

/** A directory that tells which process made it. */
export function makeSpoolDir({ spoolDir, use }: { spoolDir: string; use: 'probe' | 'confine' }): string {
  return mkdtempSync(join(spoolDir, `${use}-${process.pid}-`));
}

/** Removes what processes that are no more left behind: it may name a customer's file. */
export function sweepSpool(spoolDir: string): void {
  for (const name of readdirSync(spoolDir)) {
    const pid = OURS.exec(name)?.[1];
    if (pid !== undefined && !isProcessAlive(Number(pid)))
      rmSync(join(spoolDir, name), { recursive: true, force: true });
  }
}
