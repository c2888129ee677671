import type { PgBoss } from 'pg-boss';
import { createReporter } from './create-reporter.ts';
import type { QueueName } from './queues.ts';

export interface QueuedJob<Payload = unknown> {
  readonly id: string;
  readonly data: Payload;
  /** Aborted when the lease is lost or the drain has run out of time. */
  readonly signal: AbortSignal;
}

export interface PumpOptions {
  readonly boss: PgBoss;
  readonly queue: QueueName;
  readonly concurrency: number;
  /** Starts every job of a batch and returns one promise per job, in order. A rejection returns the job to the queue. */
  readonly start: (jobs: readonly QueuedJob[]) => Promise<void>[];
  /** While true, no job is fetched; those that run finish. */
  readonly isPaused?: () => boolean;
  readonly onError: (error: Error, jobId: string | null) => void;
  readonly onActive?: (count: number) => void;
}

export interface Pump {
  wake(): void;
  /** When the queue last answered a fetch or a heartbeat, in monotonic milliseconds. */
  lastAnswerMs(): number;
  /** Stops fetching, waits for active jobs, and returns the remaining ones to the queue after the timeout. */
  drain(timeoutMs: number): Promise<void>;
}

const POLL_INTERVAL_MS = 250;
const ERROR_PAUSE_MS = 500;
const HEARTBEAT_INTERVAL_MS = 2_500;
const GATHER_MS = 4;
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
 * Fetches and completes jobs in batches: pg-boss's own worker handles them one by one, which costs several times the
 * statements. One loop fetches, a timer renews the leases, and results are reported as they arrive.
 */
export function startPump(options: PumpOptions): Pump {
  const { boss, queue } = options;
  const active = new Map<string, Active>();
  let stopping = false;
  let woken = false;
  let full = false;
  let lastAnswerMs = performance.now();
  let waiter: (() => void) | undefined;

  const onError = (error: Error) => options.onError(error, null);
  // A job may end while its lease is being renewed. Both statements lock many rows, each in the order of its own plan, and
  // could deadlock, so a report waits for the renewal. A renewal need not wait for a report: it leaves out ended jobs. Pumps of
  // other processes hold other jobs.
  let renewal: Promise<void> | undefined;
  const afterRenewal = async (report: () => Promise<unknown>) => {
    await renewal;
    await report();
  };
  const completed = createReporter({ send: (batch) => afterRenewal(() => boss.complete(queue, batch)), onError });
  const returned = createReporter({ send: (batch) => afterRenewal(() => boss.fail(queue, batch)), onError });

  const wake = () => {
    woken = true;
    waiter?.();
  };
  // Free capacity matters only after the pump was full, and several jobs that end together need only one fetch.
  const wakeSoon = () => {
    if (!full) return;
    full = false;
    setTimeout(wake, GATHER_MS);
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

  const begin = (fetched: readonly FetchedJob[]) => {
    const held = fetched.map((job): Active => {
      // The lease expired, for example in an outage, and the job returned to this worker: abort the older run.
      active.get(job.id)?.abort.abort(new Error('lease lost'));
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
          () => completed.add({ id: job.id, retryCount: job.retryCount }),
          (error: Error) => {
            options.onError(error, job.id);
            returned.add({ id: job.id, retryCount: job.retryCount });
          },
        )
        .finally(() => {
          if (active.get(job.id) === held[n]) active.delete(job.id);
          options.onActive?.(active.size);
          wakeSoon();
        });
    });
  };

  const loop = async () => {
    while (!stopping) {
      if (options.isPaused?.() === true) {
        // Nothing is asked of the queue, so its silence is no sign of a lost connection.
        lastAnswerMs = performance.now();
        await pause(POLL_INTERVAL_MS);
        continue;
      }
      const free = Math.min(options.concurrency - active.size, MAX_BATCH);
      full = free <= 0;
      if (full) {
        await pause(POLL_INTERVAL_MS);
        continue;
      }
      woken = false;
      try {
        const jobs = await boss.fetch<unknown>(queue, { batchSize: free, orderByCreatedOn: true });
        lastAnswerMs = performance.now();
        if (jobs.length > 0) begin(jobs as unknown as FetchedJob[]);
        if (jobs.length < free && !woken && !stopping) await pause(POLL_INTERVAL_MS);
      } catch (error) {
        onError(error as Error);
        await pause(ERROR_PAUSE_MS);
      }
    }
  };

  const renewLeases = async () => {
    const held = [...active];
    if (held.length === 0) return;
    const touched = await boss.touch(
      queue,
      held.map(([id, { retryCount }]) => ({ id, retryCount })),
    );
    lastAnswerMs = performance.now();
    const kept = new Set((touched as { settled?: string[] }).settled ?? held.map(([id]) => id));
    for (const [id, { abort }] of held) if (!kept.has(id)) abort.abort(new Error('lease lost'));
  };
  const heartbeat = setInterval(() => {
    renewal ??= renewLeases()
      .catch(onError)
      .finally(() => {
        renewal = undefined;
      });
  }, HEARTBEAT_INTERVAL_MS);

  const running = loop();
  return {
    wake,
    lastAnswerMs: () => lastAnswerMs,
    async drain(timeoutMs) {
      stopping = true;
      wake();
      await running;
      const deadline = Date.now() + timeoutMs;
      while (active.size > 0 && Date.now() < deadline) await pause(50);
      clearInterval(heartbeat);
      for (const [id, { abort, retryCount }] of active) {
        abort.abort(new Error('worker stopping'));
        returned.add({ id, retryCount });
      }
      await Promise.all([completed.close(), returned.close()]);
    },
  };
}
