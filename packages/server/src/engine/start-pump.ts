import type { PgBoss } from 'pg-boss';
import type { QueueName } from './queues.ts';

export interface EngineJob {
  readonly id: string;
  readonly data: unknown;
  /** Aborted when the lease is lost or the drain has run out of time. */
  readonly signal: AbortSignal;
}

export interface PumpOptions {
  readonly boss: PgBoss;
  readonly queue: QueueName;
  readonly concurrency: number;
  /** Starts every job of a batch and answers one promise per job, in order. A rejection hands the job out again. */
  readonly start: (jobs: readonly EngineJob[]) => Promise<void>[];
  readonly onError: (error: Error, jobId: string | null) => void;
  readonly onActive?: (count: number) => void;
}

export interface Pump {
  wake(): void;
  /** Takes no more jobs, waits for those in work, and gives back what is left after the time. */
  drain(timeoutMs: number): Promise<void>;
}

const POLL_INTERVAL_MS = 250;
const ERROR_PAUSE_MS = 500;
const HEARTBEAT_INTERVAL_MS = 2_500;
const MAX_BATCH = 100;

interface FetchedJob {
  readonly id: string;
  readonly data: unknown;
  readonly retryCount: number;
}

interface Active {
  readonly retryCount: number;
  readonly abort: AbortController;
}

/**
 * Fetches jobs in batches and completes them in batches: the engine's own one-by-one worker costs several times the
 * statements. One loop fetches, one flushes completions, one keeps the leases.
 */
export function startPump(options: PumpOptions): Pump {
  const { boss, queue } = options;
  const active = new Map<string, Active>();
  const finished: Array<{ id: string; retryCount: number }> = [];
  let stopping = false;
  let woken = false;
  let waiter: (() => void) | undefined;
  let flushing: Promise<void> | undefined;

  const wake = () => {
    woken = true;
    waiter?.();
  };
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(done, ms);
      function done() {
        clearTimeout(timer);
        waiter = undefined;
        resolve();
      }
      waiter = done;
    });

  const flush = async () => {
    while (finished.length > 0) {
      const batch = finished.splice(0, MAX_BATCH);
      try {
        await boss.complete(queue, batch);
      } catch (error) {
        options.onError(error as Error, null);
        if (stopping) break;
        finished.push(...batch);
        await new Promise((resolve) => setTimeout(resolve, ERROR_PAUSE_MS));
      }
    }
    // In the same step as the last look at the list: what ends a moment later starts a flush of its own.
    flushing = undefined;
  };
  const settle = (id: string, retryCount: number) => {
    finished.push({ id, retryCount });
    flushing ??= flush();
  };

  const begin = (fetched: readonly FetchedJob[]) => {
    const held = fetched.map((job): Active => {
      // The lease lapsed, in an outage for instance, and the job came back to this very worker: the older run gives way.
      active.get(job.id)?.abort.abort(new Error('the lease was lost'));
      const entry = { retryCount: job.retryCount, abort: new AbortController() };
      active.set(job.id, entry);
      return entry;
    });
    options.onActive?.(active.size);
    const runs = options.start(
      fetched.map((job, n) => ({ id: job.id, data: job.data, signal: (held[n] as Active).abort.signal })),
    );
    fetched.forEach((job, n) => {
      (runs[n] as Promise<void>)
        .then(
          () => settle(job.id, job.retryCount),
          async (error: Error) => {
            options.onError(error, job.id);
            await boss.fail(queue, { id: job.id, retryCount: job.retryCount }).catch(() => {});
          },
        )
        .finally(() => {
          if (active.get(job.id) === held[n]) active.delete(job.id);
          options.onActive?.(active.size);
          wake();
        });
    });
  };

  const loop = async () => {
    while (!stopping) {
      const free = Math.min(options.concurrency - active.size, MAX_BATCH);
      if (free <= 0) {
        await pause(POLL_INTERVAL_MS);
        continue;
      }
      woken = false;
      try {
        const jobs = await boss.fetch<unknown>(queue, { batchSize: free, orderByCreatedOn: true });
        if (jobs.length > 0) begin(jobs as unknown as FetchedJob[]);
        if (jobs.length < free && !woken && !stopping) await pause(POLL_INTERVAL_MS);
      } catch (error) {
        options.onError(error as Error, null);
        await pause(ERROR_PAUSE_MS);
      }
    }
  };

  const heartbeat = setInterval(async () => {
    const held = [...active];
    if (held.length === 0) return;
    try {
      const touched = await boss.touch(
        queue,
        held.map(([id, { retryCount }]) => ({ id, retryCount })),
      );
      const kept = new Set((touched as { settled?: string[] }).settled ?? held.map(([id]) => id));
      for (const [id, { abort }] of held) if (!kept.has(id)) abort.abort(new Error('the lease was lost'));
    } catch (error) {
      options.onError(error as Error, null);
    }
  }, HEARTBEAT_INTERVAL_MS);

  const running = loop();
  return {
    wake,
    async drain(timeoutMs) {
      stopping = true;
      wake();
      await running;
      const deadline = Date.now() + timeoutMs;
      while (active.size > 0 && Date.now() < deadline) await pause(50);
      clearInterval(heartbeat);
      for (const [id, job] of active) {
        job.abort.abort(new Error('the worker stops'));
        await boss.fail(queue, { id, retryCount: job.retryCount }).catch(() => {});
      }
      await flushing;
    },
  };
}
