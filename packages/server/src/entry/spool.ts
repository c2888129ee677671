import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { isProcessAlive } from '../platform/spool.ts';

const HOST = hostname().replaceAll(/[^A-Za-z0-9.]/g, '_');
const NAME = /^atelier-spool-([A-Za-z0-9._]+)-(\d+)-[0-9a-f]{8}$/;

/** The directory of this process, deleted when it ends. */
export function nameSpool(): string {
  return `atelier-spool-${HOST}-${process.pid}-${randomBytes(4).toString('hex')}`;
}

/**
 * Removes directories that killed processes of this machine left beside `spoolDir`, because they hold customers' files. A
 * directory with this process's own pid is from before a restart, for example of a container.
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
