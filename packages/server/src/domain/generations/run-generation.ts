import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureCode } from '@atelier/contract';
import { faultPoint } from '../../platform/fault-point.ts';
import { errorFields } from '../../platform/log.ts';
import { type ProducedOutput, type Provider, ProviderError, type ProviderJob } from '../../providers/provider.ts';
import type { Services } from '../services.ts';
import { type ContentCheck, checkOutput, checkUploads, checkWords } from './check-content.ts';
import { decideFailure } from './decide-failure.ts';
import { Overtaken } from './overtaken.ts';
import { type Prepared, prepareJob } from './prepare-job.ts';
import { type OutputAsset, type RunRow, type Settlement, saveHandle } from './runs.store.ts';
import { settleGeneration } from './settle-generation.ts';
import { storeOutput } from './store-output.ts';

export type RunServices = Pick<
  Services,
  | 'db'
  | 'store'
  | 'keyPrefix'
  | 'media'
  | 'log'
  | 'wake'
  | 'telemetry'
  | 'limits'
  | 'clock'
  | 'catalog'
  | 'switches'
  | 'spoolDir'
>;

const DEFAULT_POLL_MS = 1_000;
const MIN_POLL_MS = 20;
const CANCEL_TIMEOUT_MS = 5_000;
const LATE = { code: 'timeout', message: 'The generation did not end within its deadline.' } as const;

/** Runs one taken generation to its end: provider, outputs into the bucket, settlement. */
export async function runGeneration(
  services: RunServices,
  run: RunRow,
  options: { providers: ReadonlyMap<string, Provider>; contentCheck: ContentCheck; leaseSignal: AbortSignal },
): Promise<void> {
  const leftMs = run.deadlineAt.getTime() - services.clock.now().getTime();
  if (leftMs <= 0) {
    await fail(services, run, LATE);
    return;
  }
  const workDir = await mkdtemp(join(services.spoolDir, 'run-'));
  const deadline = AbortSignal.timeout(leftMs);
  const signal = AbortSignal.any([deadline, options.leaseSignal]);
  const submitted = readSubmitted(run.providerHandle);
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        const assets = await produce(services, run, { ...options, workDir, signal, deadline, submitted });
        await settle(services, run, { error: null, assets });
        return;
      } catch (error) {
        const leaseLost = options.leaseSignal.aborted;
        if (!leaseLost && deadline.aborted) {
          await fail(services, run, LATE);
          return;
        }
        const decision = decideFailure(error, { tries, leaseLost, hasOther: submitted.hasOther });
        if (decision.kind === 'abandon') throw error;
        services.log.warn('a run failed', {
          generationId: run.id,
          attempt: run.attempt,
          modelId: run.modelId,
          code: decision.code,
          reason: decision.kind,
          // A provider's refusal says all it has to say; only a fault of our own needs its stack.
          ...(error instanceof ProviderError ? { errorMessage: error.message } : errorFields(error)),
        });
        if (decision.kind === 'fail') {
          await fail(services, run, decision);
          return;
        }
        // What failed after the provider had done its part is tried again without paying the provider twice.
        if (error instanceof ProviderError) Object.assign(submitted, { target: null, handle: null });
        await sleep(decision.delayMs, undefined, { signal }).catch(() => {});
      }
    }
  } finally {
    await rm(workDir, { recursive: true, force: true });
  }
}

function fail(services: RunServices, run: RunRow, { code, message }: { code: FailureCode; message: string }) {
  return settle(services, run, { error: { code, message }, assets: [] });
}

async function settle(services: RunServices, run: RunRow, end: Pick<Settlement, 'error' | 'assets'>): Promise<void> {
  const outcome = await settleGeneration(services, { id: run.id, attempt: run.attempt, ...end });
  if (outcome === 'fenced') throw new Overtaken();
}

interface Running {
  readonly providers: ReadonlyMap<string, Provider>;
  readonly contentCheck: ContentCheck;
  readonly workDir: string;
  readonly signal: AbortSignal;
  readonly deadline: AbortSignal;
  readonly submitted: SubmittedTo;
}

/** What a provider knows of this generation, and which one; kept from one try and one worker to the next. */
interface SubmittedTo {
  target: string | null;
  handle: string | null;
  /** Targets that failed in this run, the latest last. */
  failed: string[];
  hasOther: boolean;
}

function readSubmitted(stored: string | null): SubmittedTo {
  if (stored === null) return { target: null, handle: null, failed: [], hasOther: false };
  const end = stored.indexOf(' ');
  return { target: stored.slice(0, end), handle: stored.slice(end + 1), failed: [], hasOther: false };
}

async function produce(services: RunServices, run: RunRow, running: Running): Promise<OutputAsset[]> {
  running.signal.throwIfAborted();
  const { submitted } = running;
  const prepared = await prepareJob(services, run, { ...running, ...submitted });
  const { target } = prepared.route;
  // Whatever fails from here on, this target was the latest to be tried.
  submitted.failed = [...submitted.failed.filter((each) => each !== target), target];
  submitted.hasOther = prepared.hasOther;
  const produced = await runChecked(services, run, prepared, running);
  const assets: OutputAsset[] = [];
  const seen = new Set<string>();
  for (const output of produced.slice(0, run.outputsRequested)) {
    running.signal.throwIfAborted();
    await faultPoint('output.mid-upload');
    const asset = await storeOutput(services, {
      accountId: run.accountId,
      position: assets.length,
      workDir: running.workDir,
      produced: output,
      ...(run.mode === 'live' && {
        judge: (made) => checkOutput(running.contentCheck, { ...made, signal: running.signal }),
      }),
    });
    // The same bytes twice are one output: nobody pays for a copy.
    if (seen.has(asset.sha256)) continue;
    seen.add(asset.sha256);
    assets.push(asset);
  }
  if (assets.length === 0) throw new ProviderError('internal', 'The provider delivered no output.');
  await faultPoint('output.after-upload-before-row');
  return assets;
}

/** Runs the provider with what the customer wrote and sent under check, unless a former attempt has passed it. */
async function runChecked(
  services: RunServices,
  run: RunRow,
  prepared: Prepared,
  running: Running,
): Promise<readonly ProducedOutput[]> {
  // A test account's words choose an outcome of the simulator; nobody else sees them.
  if (run.mode === 'test' || running.submitted.handle !== null) return runProvider(services, run, prepared, running);
  const { contentCheck } = running;
  await checkWords(contentCheck, prepared.job);
  if (prepared.route.provider !== 'local') {
    await checkUploads(contentCheck, prepared.job);
    return runProvider(services, run, prepared, running);
  }
  // An engine of ours may look at the uploads while they are judged: nothing leaves the house, and a refusal ends it.
  const refusal = new AbortController();
  const job = { ...prepared.job, signal: AbortSignal.any([prepared.job.signal, refusal.signal]) };
  const making = runProvider(services, run, { ...prepared, job }, running);
  making.catch(() => {});
  try {
    await checkUploads(contentCheck, prepared.job);
  } catch (error) {
    refusal.abort(error);
    throw error;
  }
  return making;
}

/** Submits, or goes on with what a former attempt submitted, and follows to the end. */
async function runProvider(
  services: RunServices,
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
    Object.assign(submitted, { target: route.target, handle });
    const stored = `${route.target} ${handle}`;
    if (!(await saveHandle(services.db, { id: run.id, attempt: run.attempt, handle: stored }))) {
      throw new Overtaken();
    }
  }
  try {
    return await follow(provider, handle, job);
  } catch (error) {
    // Nobody waits for it any more; where the lease was lost, another worker does.
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
    await sleep(Math.max(MIN_POLL_MS, polled.pollAfterMs ?? DEFAULT_POLL_MS), undefined, { signal: job.signal });
  }
}
