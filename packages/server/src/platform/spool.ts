import { copyFile, link, statfs } from 'node:fs/promises';

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

/** Whether a process runs on this machine, also when it belongs to another user. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** Hard-links the file, or copies it when source and target are on different file systems. */
export async function linkOrCopy({ from, to }: { from: string; to: string }): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
