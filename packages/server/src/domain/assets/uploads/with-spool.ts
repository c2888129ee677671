import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';

/** Active uploads in one process: each may use twice its size on disk. */
const MAX_AT_ONCE = 96;
const MAX_AT_ONCE_PER_ACCOUNT = 48;
const RETRY_AFTER_SECONDS = 5;

/** Active uploads by spool and by account. Checked and incremented synchronously, so that no two uploads get the last slot. */
const inWork = new Map<string, number>();

/** Runs one upload in a separate folder, which is removed afterwards. */
export async function withSpool<T>(
  services: Pick<Services, 'spoolDir'>,
  accountId: string,
  work: (dir: string) => Promise<T>,
): Promise<T> {
  const { spoolDir } = services;
  const own = `${spoolDir} ${accountId}`;
  if ((inWork.get(spoolDir) ?? 0) >= MAX_AT_ONCE) {
    throw new Problem('unavailable', 'Too many concurrent uploads.', { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  if ((inWork.get(own) ?? 0) >= MAX_AT_ONCE_PER_ACCOUNT) {
    throw new Problem(
      'rate_limited',
      `At most ${MAX_AT_ONCE_PER_ACCOUNT} concurrent uploads are allowed per account.`,
      {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    );
  }
  count(spoolDir, 1);
  count(own, 1);
  let dir: string | null = null;
  try {
    // A cleaner of temporary folders may have removed it.
    await mkdir(spoolDir, { recursive: true, mode: 0o700 });
    dir = await mkdtemp(join(spoolDir, `upload-${accountId}-`));
    return await work(dir);
  } finally {
    if (dir !== null) await rm(dir, { recursive: true, force: true });
    count(spoolDir, -1);
    count(own, -1);
  }
}

function count(name: string, change: 1 | -1): void {
  const left = (inWork.get(name) ?? 0) + change;
  if (left === 0) inWork.delete(name);
  else inWork.set(name, left);
}
