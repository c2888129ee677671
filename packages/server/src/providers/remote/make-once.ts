import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProducedOutput, ProviderJob } from '../provider.ts';

/**
 * What was made stays in the job's folder, so that a try that failed later, in the storing of it, does not have it made and
 * paid a second time.
 */
export async function makeOnce(
  job: Pick<ProviderJob, 'workDir'>,
  name: string,
  make: () => Promise<readonly ProducedOutput[]>,
): Promise<readonly ProducedOutput[]> {
  const path = join(job.workDir, `${name}.made.json`);
  const kept = await readFile(path, 'utf8').catch(() => null);
  if (kept !== null) return JSON.parse(kept);
  const made = await make();
  if (made.length > 0) await writeFile(path, JSON.stringify(made));
  return made;
}
