import { makeAccount } from '../../e2e/harness/account.ts';
import { callRaw, submit } from '../../e2e/harness/client.ts';
import type { Stack } from '../../e2e/harness/start-stack.ts';

/** Where the time of one generation went, in milliseconds. */
export interface AloneTimes {
  /** From sending the request to the start of the transaction that created the row. */
  readonly submitMs: number;
  /** From there until a worker took it. */
  readonly queuedMs: number;
  /** From there until its settlement began: provider, probe, previews, storage. */
  readonly runMs: number;
  /** From there until its end was visible to others. */
  readonly settleMs: number;
  readonly totalMs: number;
}

/** Lets the worker finish the last job and become idle. */
const PAUSE_MS = 100;
const LOOK_INTERVAL_MS = 1;
const MAX_LOOKS = 20_000;
const WARM_UP = 10;

const nowMs = () => performance.timeOrigin + performance.now();
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Generations one at a time on an idle service. Database and bench share the clock of the machine. */
export async function runAlone(
  stack: Stack,
  options: { readonly samples: number; readonly prompt: string },
): Promise<AloneTimes[]> {
  const { key } = await makeAccount(stack);
  const times: AloneTimes[] = [];
  for (let n = 0; n < WARM_UP + options.samples; n += 1) {
    await pause(PAUSE_MS);
    const time = await runOne(stack, { key, prompt: options.prompt });
    if (n >= WARM_UP) times.push(time);
  }
  return times;
}

async function runOne(stack: Stack, options: { key: string; prompt: string }): Promise<AloneTimes> {
  const sentMs = nowMs();
  const { status, text, body } = await submit(stack.api().url, options, callRaw);
  if (status !== 201) throw new Error(`a submit returned ${status}: ${text}`);
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    const [row] = await stack.db.query<{ created: number; started: number; completed: number | null }>(
      {
        name: 'bench_alone',
        text: `SELECT extract(epoch FROM created_at)::float8 * 1000 AS created, extract(epoch FROM started_at)::float8 * 1000 AS started,
                 extract(epoch FROM completed_at)::float8 * 1000 AS completed FROM generation WHERE id = $1`,
      },
      [body.id],
    );
    if (row !== undefined && row.completed !== null) {
      const seenMs = nowMs();
      return {
        submitMs: row.created - sentMs,
        queuedMs: row.started - row.created,
        runMs: row.completed - row.started,
        settleMs: seenMs - row.completed,
        totalMs: seenMs - sentMs,
      };
    }
    await pause(LOOK_INTERVAL_MS);
  }
  throw new Error(`generation ${body.id} did not end`);
}
