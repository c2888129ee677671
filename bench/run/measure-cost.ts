import { readFileSync } from 'node:fs';
import type { Db } from '@atelier/server/platform/db.ts';

/** What one side of a round cost. */
export interface Cost {
  readonly perSecond: number;
  /** Of the server process and all its children, per item. */
  readonly postgresMicroseconds: number;
  readonly walBytes: number;
}

const MICROSECONDS_PER_TICK = 10_000;

/** Measures `work`, which handles this many items, on the server with this process id. */
export async function measureCost(
  options: { readonly db: Db; readonly postgresPid: number; readonly items: number },
  work: () => Promise<void>,
): Promise<Cost> {
  const { db, postgresPid, items } = options;
  const walBefore = await readWal(db);
  const cpuBefore = readCpu(postgresPid);
  const startedMs = performance.now();
  await work();
  const seconds = (performance.now() - startedMs) / 1000;
  const cpu = readCpu(postgresPid) - cpuBefore;
  return {
    perSecond: items / seconds,
    postgresMicroseconds: (cpu * MICROSECONDS_PER_TICK) / items,
    walBytes: ((await readWal(db)) - walBefore) / items,
  };
}

async function readWal(db: Db): Promise<number> {
  const { rows } = await db.pool.query(`SELECT (pg_current_wal_insert_lsn() - '0/0')::float8 AS bytes`);
  return rows[0].bytes;
}

/** Ticks of the server, of its running children and of those that have exited. */
function readCpu(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const own = readTicks(pid);
  return children.reduce((sum, child) => sum + readTicks(Number(child)).running, own.running + own.exited);
}

function readTicks(pid: number): { running: number; exited: number } {
  try {
    // The name may contain spaces; the fields after it are numbers.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ').map(Number) ?? [];
    const [user = 0, system = 0, exitedUser = 0, exitedSystem = 0] = fields.slice(11, 15);
    return { running: user + system, exited: exitedUser + exitedSystem };
  } catch {
    return { running: 0, exited: 0 };
  }
}
