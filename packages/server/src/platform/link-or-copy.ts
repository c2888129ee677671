import { copyFile, link } from 'node:fs/promises';

/** A second name costs nothing; across file systems a copy is needed. */
export async function linkOrCopy({ from, to }: { from: string; to: string }): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to));
}
