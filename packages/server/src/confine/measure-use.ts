import { readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const MAX_PROCESSES = 512;
const TMPFS = 0x01021994;

/**
 * What a confined process and all that it started use, in megabytes: resident memory, and what they wrote to the /tmp of
 * their own, which lies in memory too. Who has gone counts nothing.
 */
export function measureUse(pid: number): number {
  const waiting = [pid];
  let [pages, tmpBytes] = [0, 0];
  for (let seen = 0; waiting.length > 0 && seen < MAX_PROCESSES; seen++) {
    const each = waiting.pop()!;
    try {
      pages += Number(readFileSync(`/proc/${each}/statm`, 'latin1').split(' ')[1]);
      tmpBytes ||= measureTmp(each);
      for (const thread of readdirSync(`/proc/${each}/task`)) {
        const children = readFileSync(`/proc/${each}/task/${thread}/children`, 'latin1').trim();
        if (children !== '') waiting.push(...children.split(' ').map(Number));
      }
    } catch {
      // It ended between two looks.
    }
  }
  return Math.round((pages * PAGE_BYTES + tmpBytes) / 1024 ** 2);
}

/** What is in a process's own /tmp; 0 where it sees the one of everybody. */
function measureTmp(pid: number): number {
  try {
    if (readlinkSync(`/proc/${pid}/ns/mnt`) === readlinkSync('/proc/self/ns/mnt')) return 0;
    const { type, blocks, bfree, bsize } = statfsSync(`/proc/${pid}/root/tmp`);
    return type === TMPFS ? (blocks - bfree) * bsize : 0;
  } catch {
    return 0;
  }
}
