import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 60_000;
const POLL_MS = 100;

/** Locks a folder, so that only one process starts or stops its services. Returns the unlock function. */
export async function lockDir(dir: string): Promise<() => void> {
  const file = join(dir, 'lock');
  const end = Date.now() + TIMEOUT_MS;
  while (!tryToLock(file)) {
    if (!isHeld(file)) rmSync(file, { force: true });
    else if (Date.now() > end)
      throw new Error(`${file} has been locked by another process for more than ${TIMEOUT_MS} ms`);
    else await sleep(POLL_MS);
  }
  return () => rmSync(file, { force: true });
}

function tryToLock(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

function isHeld(file: string): boolean {
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
