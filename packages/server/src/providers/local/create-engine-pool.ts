import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineRow } from '@atelier/engines/engines.ts';
import type { Confinement } from '../../confine/confinement.ts';
import { type EngineChild, startEngineChild } from './start-engine-child.ts';

export interface EnginePool {
  /** Lends a loaded child to `work`; one that fails or is aborted is ended with everything it started. */
  use<T>(
    options: { name: string; row: EngineRow; signal: AbortSignal },
    work: (child: EngineChild) => Promise<T>,
  ): Promise<T>;
  close(): Promise<void>;
}

interface Idle {
  readonly name: string;
  readonly child: EngineChild;
  runs: number;
  idleSince: number;
}

const SWEEP_INTERVAL_MS = 5_000;
/** A child is replaced before what many requests left behind adds up. */
const MAX_RUNS_PER_CHILD = 200;

/** Children with an engine loaded, kept for the next request until they have been idle for long or others need the room. */
export function createEnginePool(options: {
  confinement: Confinement;
  spoolDir: string;
  weightsDir: string;
  threads: number;
  idleMs: number;
  maxIdle: number;
}): EnginePool {
  const idle: Idle[] = [];
  const inUse = new Set<EngineChild>();
  let closed = false;

  const take = async (name: string, row: EngineRow, signal: AbortSignal): Promise<Idle> => {
    for (let place = idle.length - 1; place >= 0; place--) {
      if (idle[place]!.name !== name) continue;
      const [found] = idle.splice(place, 1);
      if (found!.child.alive() && existsSync(found!.child.dir)) return found!;
      void found!.child.stop();
    }
    const dir = join(options.spoolDir, `engine-${randomUUID()}`);
    const { confinement, weightsDir, threads } = options;
    return {
      name,
      child: await startEngineChild({ confinement, row, dir, weightsDir, threads, signal }),
      runs: 0,
      idleSince: 0,
    };
  };
  const giveBack = (member: Idle) => {
    member.runs++;
    member.idleSince = Date.now();
    if (closed || !member.child.alive() || member.runs >= MAX_RUNS_PER_CHILD) void member.child.stop();
    else idle.push(member);
    while (idle.length > options.maxIdle) void idle.shift()!.child.stop();
  };
  const sweep = setInterval(() => {
    while (idle[0] !== undefined && Date.now() - idle[0].idleSince > options.idleMs) void idle.shift()!.child.stop();
  }, SWEEP_INTERVAL_MS).unref();

  return {
    async use({ name, row, signal }, work) {
      if (closed) throw new Error('The engines are closed.');
      const member = await take(name, row, signal);
      inUse.add(member.child);
      // A run cannot be interrupted, only ended.
      const abort = () => void member.child.stop();
      signal.addEventListener('abort', abort, { once: true });
      try {
        signal.throwIfAborted();
        return await work(member.child);
      } finally {
        signal.removeEventListener('abort', abort);
        inUse.delete(member.child);
        giveBack(member);
      }
    },
    async close() {
      closed = true;
      clearInterval(sweep);
      await Promise.all([
        ...idle.splice(0).map(({ child }) => child.stop()),
        ...[...inUse].map((child) => child.stop()),
      ]);
    },
  };
}
