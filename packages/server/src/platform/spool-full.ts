import { statfs } from 'node:fs/promises';

/** Less than this is no room. */
const MIN_FREE_BYTES = 1024 * 1024;

/** Whether an error says that there is no room on the disk. The same call may work later. */
export function isSpoolFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Whether the disk of a folder is full. Programs and libraries say so in many ways; the disk says it in one. */
export async function isDiskFull(dir: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize < MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** The error that a full disk gives, for a failure that did not name it. */
export function spoolFull(cause: unknown): Error {
  return Object.assign(new Error('no space left in the spool', { cause }), { code: 'ENOSPC' });
}
