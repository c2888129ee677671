import { randomUUID } from 'node:crypto';
import { link, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Stores a record under a name that can be used once. False if there is one already. A link is made as a whole or not at
 * all, so two deliveries at the same time make one record, and a crash leaves none that is incomplete.
 */
export async function recordOnce(dir: string, name: string, record: unknown): Promise<boolean> {
  if (!/^[\w-]+$/.test(name)) throw new TypeError('The name is no id');
  await mkdir(dir, { recursive: true });
  const draft = join(dir, `.${randomUUID()}`);
  try {
    await writeFile(draft, JSON.stringify(record));
    await link(draft, join(dir, `${name}.json`));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
