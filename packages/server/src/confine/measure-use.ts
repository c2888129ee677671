import { readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const MAX_PROCESSES = 512;
const TMPFS = 0x01021994;

/**
 * The memory of a confined process and its descendants, in megabytes: resident memory and the contents of their
 * private /tmp, which is in memory too. Exited processes count as 0.
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
      // It exited between two reads.
    }
  }
  return Math.round((pages * PAGE_BYTES + tmpBytes) / 1024 ** 2);
}

/** The size of a process's private /tmp; 0 if it sees the shared one. */
function measureTmp(pid: number): number {
  try {
    if (readlinkSync(`/proc/${pid}/ns/mnt`) === readlinkSync('/proc/self/ns/mnt')) return 0;
    const { type, blocks, bfree, bsize } = statfsSync(`/proc/${pid}/root/tmp`);
    return type === TMPFS ? (blocks - bfree) * bsize : 0;
  } catch {
    return 0;
  }
}
