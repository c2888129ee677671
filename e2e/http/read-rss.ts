import { readFileSync } from 'node:fs';

/** Resident memory of a process, in MB. */
export function readRssMb(pid: number): number {
  const kilobytes = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1024;
}
