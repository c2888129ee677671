import { readFile } from 'node:fs/promises';

export interface CpuTimes {
  readonly total: number;
  /** Time that the host gave to other guests. */
  readonly stolen: number;
}

/** CPU time since boot. */
export async function readCpuTimes(): Promise<CpuTimes> {
  const [line = ''] = (await readFile('/proc/stat', 'utf8')).split('\n', 1);
  const times = line.split(/\s+/).slice(1, 9).map(Number);
  return { total: times.reduce((sum, each) => sum + each, 0), stolen: times[7] ?? 0 };
}

export function stolenPercent(before: CpuTimes, after: CpuTimes): number {
  const total = after.total - before.total;
  return total > 0 ? Math.round((100 * (after.stolen - before.stolen)) / total) : 0;
}
