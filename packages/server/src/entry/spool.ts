import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { isProcessAlive } from '../platform/spool.ts';

const HOST = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_');
const NAME = /^atelier-spool-([A-Za-z0-9._]+)-(\d+)-[0-9a-f]{8}$/;

/** The folder of this process alone: what it holds goes with the process. */
export function nameSpool(): string {
  return `atelier-spool-${HOST}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/**
 * Removes what killed processes of this machine left beside `spoolDir`: customers' files. A process that starts has a
 * new folder, so an old one with its own number is of a former life, as after a restart of a container.
 */
export async function clearDeadSpools(spoolDir: string): Promise<void> {
  const parent = dirname(spoolDir);
  for (const name of await readdir(parent)) {
    const [, host, pid] = NAME.exec(name) ?? [];
    const path = join(parent, name);
    if (host !== HOST || path === spoolDir) continue;
    if (Number(pid) === process.pid || !isProcessAlive(Number(pid))) await rm(path, { recursive: true, force: true });
  }
}
