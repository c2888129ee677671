import { setTimeout as sleep } from 'node:timers/promises';
import { faultPoint } from '../../../platform/fault-point.ts';
import type { ProducedOutput, Provider, ProviderJob } from '../../../providers/provider.ts';
import type { Services } from '../../services.ts';
import { type ContentCheck, checkUploads, checkWords } from './check-content.ts';
import { Overtaken } from './decide-failure.ts';
import type { Prepared } from './prepare-job.ts';
import { type RunRow, saveSubmitted } from './runs.store.ts';

const DEFAULT_POLL_MS = 1_000;
const MIN_POLL_MS = 20;
const CANCEL_TIMEOUT_MS = 5_000;

interface Running {
  readonly contentCheck: ContentCheck;
  readonly signal: AbortSignal;
  readonly deadline: AbortSignal;
  readonly submitted: SubmittedTo;
}

/** The target of this generation and its handle there; kept across tries and workers. */
export interface SubmittedTo {
  target: string | null;
  handle: string | null;
  /** Targets that failed in this run, latest last. */
  failed: string[];
  hasOther: boolean;
}

/** Checks the customer's texts and uploads and runs the provider. If an earlier attempt was submitted, the checks have passed. */
export async function runProvider(
  services: Pick<Services, 'db'>,
  run: RunRow,
  prepared: Prepared,
  running: Running,
): Promise<readonly ProducedOutput[]> {
  // A test account's prompt selects an outcome of the simulator and is not sent anywhere else.
  if (run.mode === 'test' || running.submitted.handle !== null)
    return submitAndFollow(services, run, prepared, running);
  const { contentCheck } = running;
  await checkWords(contentCheck, prepared.job);
  if (prepared.route.provider !== 'local') {
    await checkUploads(contentCheck, prepared.job);
    return submitAndFollow(services, run, prepared, running);
  }
  // A local engine may read the uploads while they are checked: nothing leaves this machine, and a refusal aborts it.
  const refusal = new AbortController();
  const job = { ...prepared.job, signal: AbortSignal.any([prepared.job.signal, refusal.signal]) };
  const making = submitAndFollow(services, run, { ...prepared, job }, running);
  making.catch(() => {});
  try {
    await checkUploads(contentCheck, prepared.job);
  } catch (error) {
    refusal.abort(error);
    throw error;
  }
  return making;
}

/** Submits, or resumes what an earlier attempt submitted, and polls until the end. */
async function submitAndFollow(
  services: Pick<Services, 'db'>,
  run: RunRow,
  { provider, job, route }: Prepared,
  { submitted, deadline }: Running,
): Promise<readonly ProducedOutput[]> {
  let handle = submitted.target === route.target ? submitted.handle : null;
  if (handle === null) {
    await faultPoint('provider.before-call');
    const answer = await provider.submit(job);
    if ('outputs' in answer) return answer.outputs;
    await faultPoint('provider.after-call-before-record');
    handle = answer.handle;
    const sent = { target: route.target, handle };
    Object.assign(submitted, sent);
    if (!(await saveSubmitted(services.db, { id: run.id, attempt: run.attempt, ...sent }))) throw new Overtaken();
  }
  try {
    return await follow(provider, handle, job);
  } catch (error) {
    // The result is no longer needed. If only the lease was lost, another worker still waits for it.
    if (deadline.aborted) {
      const signal = AbortSignal.timeout(CANCEL_TIMEOUT_MS);
      await provider.cancel?.(handle, { ...job, signal }).catch(() => {});
    }
    throw error;
  }
}

async function follow(provider: Provider, handle: string, job: ProviderJob): Promise<readonly ProducedOutput[]> {
  for (;;) {
    job.signal.throwIfAborted();
    const polled = await provider.poll(handle, job);
    await faultPoint('provider.mid-poll');
    if (polled.state === 'done') return polled.outputs;
    if (polled.progress !== undefined) job.report(polled.progress);
    const pauseMs = Math.max(MIN_POLL_MS, polled.pollAfterMs ?? DEFAULT_POLL_MS);
    await (job.callback?.pause(pauseMs) ?? sleep(pauseMs, undefined, { signal: job.signal }));
  }
}
