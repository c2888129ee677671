import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Confinement } from '../confine/confinement.ts';
import { makeSpoolDir } from '../confine/sweep-spool.ts';
import type { ProbeRequest, ProbeResult } from './probe/probe-protocol.ts';
import { type ProbeWorker, startProbeWorker } from './probe-worker.ts';

export interface ProbePool {
  /** The caller bounds how many run at once. `owner` is whose file it is: a child reads the files of one owner only. */
  probe: (job: {
    request: ProbeRequest;
    path: string | null;
    deadlineMs: number;
    owner: string;
  }) => Promise<ProbeResult>;
  close: () => Promise<void>;
}

interface Member {
  worker: ProbeWorker;
  /** Whose files it reads; null before its first. */
  owner: string | null;
  files: number;
  busyMs: number;
  idleSinceMs: number;
}

/** A child is replaced before what one file left behind can reach many others, and never reads those of another account. */
const MAX_FILES_PER_CHILD = 64;
const MAX_BUSY_MS_PER_CHILD = 60_000;
const IDLE_MS = 60_000;
/** Kept ready for an owner that has none, once files arrive; before the first file one is enough. */
const SPARE_CHILDREN = 2;
/** Children that wait for more files of their owners. */
const MAX_OWNED_IDLE = 4;

/** Confined children that wait for files, since starting one costs more than most files do. */
export function createProbePool({ confinement, spoolDir }: { confinement: Confinement; spoolDir: string }): ProbePool {
  const dir = makeSpoolDir({ spoolDir, use: 'probe' });
  const idle: Member[] = [];
  const all = new Set<Member>();
  let starting: Promise<void> | null = null;
  let closed = false;
  let spares = 1;

  const start = async (): Promise<Member> => {
    const worker = await startProbeWorker({ confinement, dir: join(dir, randomUUID()) });
    const member: Member = { worker, owner: null, files: 0, busyMs: 0, idleSinceMs: 0 };
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
    if (closed || starting || idle.filter(({ owner }) => owner === null).length >= spares) return;
    starting = start()
      .then(
        (member) => idle.push(member) > 0,
        () => false,
      )
      .then((started) => {
        starting = null;
        if (started) keepSpare();
      });
  };
  /** An idle child of this owner, or a fresh one. */
  const findIdle = async (owner: string | null): Promise<Member | null> => {
    for (const wanted of new Set([owner, null])) {
      for (;;) {
        const place = idle.findLastIndex((each) => each.owner === wanted);
        if (place < 0) break;
        const [member] = idle.splice(place, 1) as [Member];
        if (member.worker.usable()) return member;
        await retire(member);
      }
    }
    return null;
  };
  /** Null: for a request without a file, after which the child is as fresh as before. */
  const take = async (owner: string | null): Promise<Member> => {
    if (closed) throw new Error('The media module is closed.');
    let member = await findIdle(owner);
    if (member === null && starting) {
      await starting;
      member = await findIdle(owner);
    }
    member ??= await start();
    member.owner = owner;
    if (owner !== null) {
      spares = SPARE_CHILDREN;
      keepSpare();
    }
    return member;
  };
  const giveBack = (member: Member) => {
    const spent = member.files >= MAX_FILES_PER_CHILD || member.busyMs >= MAX_BUSY_MS_PER_CHILD;
    if (spent || closed || !member.worker.usable()) {
      void retire(member);
      keepSpare();
      return;
    }
    member.idleSinceMs = performance.now();
    idle.push(member);
    const owned = idle.filter(({ owner }) => owner !== null);
    drop(owned.slice(0, Math.max(0, owned.length - MAX_OWNED_IDLE)));
  };
  const drop = (members: readonly Member[]) => {
    for (const member of members) {
      idle.splice(idle.indexOf(member), 1);
      void retire(member);
    }
  };

  const sweep = setInterval(() => {
    const since = performance.now() - IDLE_MS;
    drop(idle.filter(({ owner, idleSinceMs }) => owner !== null && idleSinceMs < since));
  }, IDLE_MS).unref();
  keepSpare();

  return {
    async probe(job) {
      const member = await take(job.path === null ? null : job.owner);
      const startedAt = performance.now();
      try {
        return await member.worker.probe(job);
      } finally {
        member.files++;
        member.busyMs += performance.now() - startedAt;
        giveBack(member);
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
