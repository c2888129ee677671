import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const OURS = /^(?:probe|sandbox)-(\d+)-/;

/** A directory that tells which process made it. */
export function makeSpoolDir({ spoolDir, use }: { spoolDir: string; use: 'probe' | 'sandbox' }): string {
  return mkdtempSync(join(spoolDir, `${use}-${process.pid}-`));
}

/** Removes what processes that are no more left behind: it may name a customer's file. */
export function sweepSpool(spoolDir: string): void {
  for (const name of readdirSync(spoolDir)) {
    const pid = OURS.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(spoolDir, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
