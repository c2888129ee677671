import { statfs } from 'node:fs/promises';

/** Less free space than this counts as a full disk. */
const MIN_FREE_BYTES = 1024 * 1024;

/** Whether an error means that the disk is full. The same call may succeed later. */
export function isSpoolFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Whether the disk of a folder is full. Programs and libraries report this in many ways, so the file system is asked. */
export async function isDiskFull(dir: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(dir);
    return bavail * bsize < MIN_FREE_BYTES;
  } catch {
    return false;
  }
}

/** The error of a full disk, for a failure that did not report it as such. */
export function spoolFull(cause: unknown): Error {
  return Object.assign(new Error('no space left in the spool', { cause }), { code: 'ENOSPC' });
}
