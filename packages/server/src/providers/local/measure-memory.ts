import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;
const MAX_PROCESSES = 512;

/** Resident memory of a process and all that it started, in megabytes. Who has gone counts nothing. */
export function measureMemory(pid: number): number {
  const waiting = [pid];
  let pages = 0;
  for (let seen = 0; waiting.length > 0 && seen < MAX_PROCESSES; seen++) {
    const each = waiting.pop()!;
    try {
      pages += Number(readFileSync(`/proc/${each}/statm`, 'latin1').split(' ')[1]);
      for (const thread of readdirSync(`/proc/${each}/task`)) {
        const children = readFileSync(`/proc/${each}/task/${thread}/children`, 'latin1').trim();
        if (children !== '') waiting.push(...children.split(' ').map(Number));
      }
    } catch {
      // It ended between two looks.
    }
  }
  return Math.round((pages * PAGE_BYTES) / 1024 ** 2);
}
