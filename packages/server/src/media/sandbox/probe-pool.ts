import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ProbeRequest, ProbeResult } from '../probe/probe-protocol.ts';
import { type ProbeWorker, startProbeWorker } from './probe-worker.ts';
import type { Sandbox } from './sandbox.ts';
import { makeSpoolDir } from './sweep-spool.ts';

export interface ProbePool {
  /** The caller bounds how many run at once. */
  probe: (job: { request: ProbeRequest; path: string | null; deadlineMs: number }) => Promise<ProbeResult>;
  close: () => Promise<void>;
}

interface Member {
  worker: ProbeWorker;
  files: number;
  busyMs: number;
}

/** A child is replaced before what one file left behind can reach many others. */
const MAX_FILES_PER_CHILD = 64;
const MAX_BUSY_MS_PER_CHILD = 60_000;
const IDLE_MS = 60_000;
/** Kept ready at all times. */
const SPARE_CHILDREN = 1;

/** Confined children that wait for files, since starting one costs more than most files do. */
export function createProbePool({ sandbox, spoolDir }: { sandbox: Sandbox; spoolDir: string }): ProbePool {
  const dir = makeSpoolDir({ spoolDir, use: 'probe' });
  const idle: Member[] = [];
  const all = new Set<Member>();
  let starting: Promise<void> | null = null;
  let closed = false;

  const start = async (): Promise<Member> => {
    const worker = await startProbeWorker({ sandbox, dir: join(dir, randomUUID()) });
    const member = { worker, files: 0, busyMs: 0 };
    all.add(member);
    if (closed) await retire(member);
    return member;
  };
  const retire = async (member: Member) => {
    all.delete(member);
    await member.worker.stop();
  };
  /** A failure here is met again, and told, by the next file. */
  const keepSpare = () => {
    if (closed || starting || idle.length >= SPARE_CHILDREN) return;
    starting = start()
      .then((member) => void idle.push(member))
      .catch(() => {})
      .finally(() => {
        starting = null;
      });
  };
  const take = async (): Promise<Member> => {
    if (closed) throw new Error('The media module is closed.');
    for (;;) {
      const member = idle.pop();
      if (member?.worker.alive()) return member;
      if (member) await retire(member);
      else if (starting) {
        await starting;
        if (idle.length === 0) return start();
      } else return start();
    }
  };

  const sweep = setInterval(() => {
    while (idle.length > SPARE_CHILDREN) void retire(idle.shift()!);
  }, IDLE_MS).unref();
  keepSpare();

  return {
    async probe(job) {
      const member = await take();
      const startedAt = performance.now();
      try {
        return await member.worker.probe(job);
      } finally {
        member.files++;
        member.busyMs += performance.now() - startedAt;
        const spent = member.files >= MAX_FILES_PER_CHILD || member.busyMs >= MAX_BUSY_MS_PER_CHILD;
        if (spent || closed || !member.worker.alive()) {
          void retire(member);
          keepSpare();
        } else {
          idle.push(member);
        }
      }
    },
    async close() {
      closed = true;
      clearInterval(sweep);
      if (starting) await starting;
      await Promise.all([...all].map(retire));
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
