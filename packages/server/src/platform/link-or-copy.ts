import { copyFile, link } from 'node:fs/promises';

/** Hard-links the file, or copies it when source and target are on different file systems. */
export async function linkOrCopy({ from, to }: { from: string; to: string }): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
