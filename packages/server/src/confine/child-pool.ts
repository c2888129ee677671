export interface PooledChild {
  usable(): boolean;
  stop(): Promise<void>;
}

/** The key of a child that is not bound to a key yet. */
export const NO_KEY = '';

export interface ChildPoolOptions<C extends PooledChild> {
  readonly start: (key: string, signal: AbortSignal | undefined) => Promise<C>;
  /** A child is replaced after this many runs or this much work, before leftovers accumulate. */
  readonly maxRuns: number;
  readonly maxBusyMs?: number;
  /** How long an idle child waits for another run with its key. */
  readonly idleMs: number;
  /** Idle children with a key; when there are more, the oldest is stopped. */
  readonly maxIdle: number;
  /**
   * Children started ahead of time, for any key: one at first, and this many after the first run with a key. For
   * programs that do not depend on the key.
   */
  readonly spares?: number;
}

export interface ChildPool<C extends PooledChild> {
  /**
   * Runs `work` with exclusive use of a child. Work for a key binds the child to that key; work without a key does not. An
   * abort stops the child.
   */
  use<T>(run: { key: string; signal?: AbortSignal }, work: (child: C) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

interface Member<C> {
  readonly child: C;
  key: string;
  runs: number;
  busyMs: number;
  idleSinceMs: number;
}

const SWEEP_INTERVAL_MS = 5_000;

/** Keeps child processes for the next run, since starting one costs more than most runs. The caller limits concurrency. */
export function createChildPool<C extends PooledChild>(options: ChildPoolOptions<C>): ChildPool<C> {
  const idle: Member<C>[] = [];
  const all = new Set<Member<C>>();
  const stopping = new Set<Promise<void>>();
  let starting: Promise<void> | null = null;
  let closed = false;
  let spares = options.spares === undefined ? 0 : 1;

  const retire = (member: Member<C>): Promise<void> => {
    all.delete(member);
    const stopped = member.child.stop().finally(() => stopping.delete(stopped));
    stopping.add(stopped);
    return stopped;
  };
  const drop = (members: readonly Member<C>[]) => {
    for (const member of members) {
      idle.splice(idle.indexOf(member), 1);
      void retire(member);
    }
  };
  const start = async (key: string, signal?: AbortSignal): Promise<Member<C>> => {
    const child = await options.start(key, signal);
    const member: Member<C> = { child, key, runs: 0, busyMs: 0, idleSinceMs: 0 };
    all.add(member);
    if (closed) {
      await retire(member);
      throw new Error('The pool is closed.');
    }
    return member;
  };
  /** Errors are not reported here: the next run gets them again. */
  const keepSpares = () => {
    if (closed || starting || idle.filter(({ key }) => key === NO_KEY).length >= spares) return;
    starting = start(NO_KEY)
      .then(
        (member) => idle.push(member) > 0,
        () => false,
      )
      .then((started) => {
        starting = null;
        if (started) keepSpares();
      });
  };
  const findIdle = (key: string): Member<C> | null => {
    for (const wanted of new Set([key, NO_KEY])) {
      for (;;) {
        const at = idle.findLastIndex((each) => each.key === wanted);
        if (at < 0) break;
        const [member] = idle.splice(at, 1) as [Member<C>];
        if (member.child.usable()) return member;
        void retire(member);
      }
    }
    return null;
  };
  const take = async (key: string, signal?: AbortSignal): Promise<Member<C>> => {
    let member = findIdle(key);
    if (member === null && starting) {
      await starting;
      member = findIdle(key);
    }
    member ??= await start(key, signal);
    member.key = key;
    if (key !== NO_KEY && options.spares !== undefined) {
      spares = options.spares;
      keepSpares();
    }
    return member;
  };
  const putBack = (member: Member<C>) => {
    const isSpent = member.runs >= options.maxRuns || member.busyMs >= (options.maxBusyMs ?? Number.POSITIVE_INFINITY);
    if (isSpent || closed || !member.child.usable()) {
      void retire(member);
      keepSpares();
      return;
    }
    member.idleSinceMs = performance.now();
    idle.push(member);
    const keyed = idle.filter(({ key }) => key !== NO_KEY);
    drop(keyed.slice(0, Math.max(0, keyed.length - options.maxIdle)));
  };
  const sweep = setInterval(() => {
    const sinceMs = performance.now() - options.idleMs;
    drop(idle.filter(({ key, idleSinceMs }) => key !== NO_KEY && idleSinceMs < sinceMs));
  }, SWEEP_INTERVAL_MS).unref();
  keepSpares();

  return {
    async use({ key, signal }, work) {
      if (closed) throw new Error('The pool is closed.');
      const member = await take(key, signal);
      const startedAtMs = performance.now();
      const abort = () => void retire(member);
      signal?.addEventListener('abort', abort, { once: true });
      try {
        signal?.throwIfAborted();
        return await work(member.child);
      } finally {
        signal?.removeEventListener('abort', abort);
        member.runs += 1;
        member.busyMs += performance.now() - startedAtMs;
        putBack(member);
      }
    },
    async close() {
      closed = true;
      clearInterval(sweep);
      if (starting) await starting;
      await Promise.all([...all].map(retire));
      await Promise.all(stopping);
    },
  };
}
