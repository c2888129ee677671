import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../platform/problem.ts';
import type { Services } from '../services.ts';

/** Uploads in work in one process: each may hold twice its size on the disk. */
const MAX_AT_ONCE = 96;
const MAX_AT_ONCE_PER_ACCOUNT = 48;
const RETRY_AFTER_SECONDS = 5;

/** A folder for one upload. The spool is of this process alone, so what stands in it is what is in work. */
export async function openSpool(services: Pick<Services, 'spoolDir'>, accountId: string): Promise<string> {
  const own = `upload-${accountId}-`;
  // Somebody may have removed it, as cleaners of temporary folders do.
  await mkdir(services.spoolDir, { recursive: true, mode: 0o700 });
  const inWork = (await readdir(services.spoolDir)).filter((name) => name.startsWith('upload-'));
  if (inWork.length >= MAX_AT_ONCE) {
    throw new Problem('unavailable', 'Too many files arrive just now.', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if (inWork.filter((name) => name.startsWith(own)).length >= MAX_AT_ONCE_PER_ACCOUNT) {
    throw new Problem('rate_limited', `At most ${MAX_AT_ONCE_PER_ACCOUNT} uploads of one account may run at once.`, {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    });
  }
  return mkdtemp(join(services.spoolDir, own));
}
