import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureCode } from '@atelier/contract';
import { faultPoint } from '../../platform/fault-point.ts';
import { errorFields } from '../../platform/log.ts';
import { type ProducedOutput, type Provider, ProviderError, type ProviderJob } from '../../providers/provider.ts';
import { findInputFacts } from '../assets/find-input-facts.ts';
import { checkParams } from '../catalog/check-params.ts';
import { chooseRoute } from '../quotes/choose-route.ts';
import type { Services } from '../services.ts';
import { decideFailure } from './decide-failure.ts';
import { Overtaken } from './overtaken.ts';
import { type OutputAsset, type RunRow, type Settlement, saveHandle, updateProgress } from './runs.store.ts';
import { settleGeneration } from './settle-generation.ts';
import { storeOutput } from './store-output.ts';

export type RunServices = Pick<
  Services,
  | 'db'
  | 'store'
  | 'media'
  | 'log'
  | 'wake'
  | 'telemetry'
  | 'limits'
  | 'clock'
  | 'catalog'
  | 'switches'
  | 'liveProviders'
  | 'spoolDir'
>;

const DEFAULT_POLL_MS = 1_000;
const MIN_POLL_MS = 20;
const PROGRESS_INTERVAL_MS = 500;
const LATE = { code: 'timeout', message: 'The generation did not end within its deadline.' } as const;

/** Runs one taken generation to its end: provider, outputs into the bucket, settlement. */
export async function runGeneration(
  services: RunServices,
  run: RunRow,
  options: { providers: ReadonlyMap<string, Provider>; leaseSignal: AbortSignal },
): Promise<void> {
  const leftMs = run.deadlineAt.getTime() - services.clock.now().getTime();
  if (leftMs <= 0) {
    await fail(services, run, LATE);
    return;
  }
  const workDir = await mkdtemp(join(services.spoolDir, 'run-'));
  const deadline = AbortSignal.timeout(leftMs);
  const signal = AbortSignal.any([deadline, options.leaseSignal]);
  const submitted = { handle: run.providerHandle };
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        const assets = await produce(services, run, { ...options, workDir, signal, submitted });
        await settle(services, run, { error: null, assets });
        return;
      } catch (error) {
        const leaseLost = options.leaseSignal.aborted;
        if (!leaseLost && deadline.aborted) {
          await fail(services, run, LATE);
          return;
        }
        const decision = decideFailure(error, { tries, leaseLost });
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
        if (error instanceof ProviderError) submitted.handle = null;
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
  readonly workDir: string;
  readonly signal: AbortSignal;
  /** What the provider knows of this generation; kept from one try to the next. */
  readonly submitted: { handle: string | null };
}

async function produce(services: RunServices, run: RunRow, running: Running): Promise<OutputAsset[]> {
  running.signal.throwIfAborted();
  const { provider, job } = await prepare(services, run, running);
  const produced = await runProvider(services, run, { provider, job, submitted: running.submitted });
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

async function prepare(
  services: RunServices,
  run: RunRow,
  running: Running,
): Promise<{ provider: Provider; job: ProviderJob }> {
  const catalog = services.catalog();
  const model = catalog.models.get(run.modelId);
  if (model === undefined) throw new ProviderError('unavailable', 'The model is no longer offered.');
  const effect = run.effectId === null ? null : (catalog.effects.get(run.effectId) ?? null);
  const route = chooseRoute({
    model: { ...model, closed: false },
    mode: run.mode,
    // A model closed after the submit still runs what was accepted.
    switches: { ...services.switches.current(), closedModels: new Set() },
    liveProviders: services.liveProviders,
  });
  const provider = route === null ? undefined : running.providers.get(route.provider);
  if (route === null || provider === undefined)
    throw new ProviderError('unavailable', 'No provider serves this model just now.');
  const { effective, media } = checkParams({ model, effect, params: run.params, draft: true });
  const inputs: Record<string, string[]> = {};
  if (provider.readsInputs === true) {
    const facts = await findInputFacts(services, { accountId: run.accountId, ids: media.flatMap((ref) => ref.ids) });
    for (const ref of media) {
      inputs[ref.param] = [];
      for (const id of ref.ids) {
        const found = facts.get(id);
        if (found === undefined)
          throw new ProviderError('invalid_input', 'An upload was deleted before the generation ran.');
        const path = join(running.workDir, `input-${id}`);
        await copyFromStore(services, found.objectKey, path, running.signal);
        inputs[ref.param]?.push(path);
      }
    }
  }
  return {
    provider,
    job: {
      generationId: run.id,
      modelId: run.modelId,
      taskType: run.taskType,
      params: effective,
      inputs,
      effectId: run.effectId,
      outputs: run.outputsRequested,
      workDir: running.workDir,
      deadlineAt: run.deadlineAt,
      route: route.settings,
      signal: running.signal,
    },
  };
}

async function copyFromStore(
  services: Pick<Services, 'store'>,
  key: string,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const found = await services.store.read({ key, signal });
  if (found === null) throw new ProviderError('invalid_input', 'An upload was deleted before the generation ran.');
  await pipeline(found.stream, createWriteStream(path), { signal });
}

/** Submits, or goes on with what a former attempt submitted, and follows to the end. */
async function runProvider(
  services: RunServices,
  run: RunRow,
  { provider, job, submitted }: { provider: Provider; job: ProviderJob; submitted: Running['submitted'] },
): Promise<readonly ProducedOutput[]> {
  let { handle } = submitted;
  if (handle === null) {
    await faultPoint('provider.before-call');
    const answer = await provider.submit(job);
    if ('outputs' in answer) return answer.outputs;
    await faultPoint('provider.after-call-before-record');
    handle = answer.handle;
    submitted.handle = handle;
    if (!(await saveHandle(services.db, { id: run.id, attempt: run.attempt, handle }))) {
      throw new Overtaken();
    }
  }
  let reportedAtMs = 0;
  for (;;) {
    job.signal.throwIfAborted();
    const polled = await provider.poll(handle, job);
    await faultPoint('provider.mid-poll');
    if (polled.state === 'done') return polled.outputs;
    const progress = polled.progress;
    if (progress !== undefined && Number.isFinite(progress) && Date.now() - reportedAtMs >= PROGRESS_INTERVAL_MS) {
      reportedAtMs = Date.now();
      await updateProgress(services.db, {
        id: run.id,
        attempt: run.attempt,
        progress: Math.min(1, Math.max(0, progress)),
      });
    }
    await sleep(Math.max(MIN_POLL_MS, polled.pollAfterMs ?? DEFAULT_POLL_MS), undefined, { signal: job.signal });
  }
}
