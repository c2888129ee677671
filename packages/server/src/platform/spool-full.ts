/** Whether an error says that there is no room on the disk. The same call may work later. */
export function isSpoolFull(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return code === 'ENOSPC' || code === 'EDQUOT';
}
