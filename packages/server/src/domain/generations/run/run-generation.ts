import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FailureCode } from '@atelier/contract';
import { isDiskFull, spoolFull } from '../../../platform/spool.ts';
import { type SpanFields, withSpan } from '../../../platform/tracing.ts';
import { type ProducedOutput, type Provider, ProviderError } from '../../../providers/provider.ts';
import type { Services } from '../../services.ts';
import type { PollWakes } from './callbacks.ts';
import type { ContentCheck } from './check-content.ts';
import { decideFailure, Overtaken } from './decide-failure.ts';
import { prepareJob } from './prepare-job.ts';
import { recordRunFailure } from './record-run-failure.ts';
import { runProvider, type SubmittedTo } from './run-provider.ts';
import type { RunRow, Settlement } from './runs.store.ts';
import { settleGeneration } from './settle-generation.ts';
import { storeOutputs } from './store-outputs.ts';

export type RunServices = Pick<
  Services,
  | 'db'
  | 'settler'
  | 'store'
  | 'keyPrefix'
  | 'media'
  | 'log'
  | 'wake'
  | 'telemetry'
  | 'tracing'
  | 'limits'
  | 'clock'
  | 'catalog'
  | 'switches'
  | 'spoolDir'
  | 'keys'
  | 'publicUrl'
  | 'cell'
>;

/** Runs one taken generation to its end: provider, storage of the outputs, settlement. */
export async function runGeneration(
  services: RunServices,
  run: RunRow,
  options: {
    providers: ReadonlyMap<string, Provider>;
    contentCheck: ContentCheck;
    leaseSignal: AbortSignal;
    pollWakes?: PollWakes;
  },
): Promise<void> {
  const leftMs = run.deadlineAt.getTime() - services.clock.now().getTime();
  if (leftMs <= 0) {
    await fail(services, run, 'timeout');
    return;
  }
  const { leaseSignal } = options;
  const deadline = AbortSignal.timeout(leftMs);
  const signal = AbortSignal.any([deadline, leaseSignal]);
  const submitted: SubmittedTo = {
    target: run.submittedTarget,
    handle: run.submittedHandle,
    failed: [],
    hasOther: false,
  };
  let workDir: string | null = null;
  // Kept while the outputs are stored, so that a retry does not call the provider again.
  let produced: readonly ProducedOutput[] | null = null;
  try {
    for (let tries = 1; ; tries += 1) {
      try {
        workDir ??= await openWorkDir(services.spoolDir);
        produced ??= await produce(services, run, { ...options, workDir, signal, deadline, submitted });
        const target = submitted.failed.at(-1) ?? '';
        const storing = { ...options, produced, target, workDir };
        const assets = await withSpan(startStep(services, run, 'store outputs', { count: produced.length }), () =>
          storeOutputs(services, run, storing),
        );
        await settle(services, run, { error: null, assets });
        return;
      } catch (thrown) {
        const ours = !(thrown instanceof ProviderError || thrown instanceof Overtaken);
        const error = ours && (await isDiskFull(services.spoolDir)) ? spoolFull(thrown) : thrown;
        const leaseLost = leaseSignal.aborted;
        if (!leaseLost && produced === null && deadline.aborted) {
          await fail(services, run, 'timeout');
          return;
        }
        const hasOther = produced === null && submitted.hasOther;
        const decision = decideFailure(error, { tries, leaseLost, hasOther });
        if (decision.kind === 'abandon') {
          await sleep(decision.delayMs ?? 0, undefined, { signal: leaseSignal }).catch(() => {});
          throw error;
        }
        const { kind, code } = decision;
        const target = submitted.failed.at(-1) ?? null;
        await recordRunFailure(services, run, { target, code, decision: kind, error });
        if (decision.kind === 'fail') {
          await fail(services, run, code);
          return;
        }
        // An error after the provider has finished keeps its handle: a retry must not pay the provider twice.
        if (error instanceof ProviderError) Object.assign(submitted, { target: null, handle: null });
        await sleep(decision.delayMs, undefined, { signal }).catch(() => {});
      }
    }
  } finally {
    if (workDir !== null) await rm(workDir, { recursive: true, force: true });
  }
}

/** Creates the spool again if it was removed. */
async function openWorkDir(spoolDir: string): Promise<string> {
  await mkdir(spoolDir, { recursive: true, mode: 0o700 });
  return mkdtemp(join(spoolDir, 'run-'));
}

function fail(services: RunServices, run: RunRow, error: FailureCode) {
  return settle(services, run, { error, assets: [] });
}

async function settle(services: RunServices, run: RunRow, end: Pick<Settlement, 'error' | 'assets'>): Promise<void> {
  const settlement = { id: run.id, attempt: run.attempt, ...end };
  const outcome = await withSpan(startStep(services, run, 'settle'), () => settleGeneration(services, settlement));
  if (outcome === 'fenced') throw new Overtaken();
}

async function produce(
  services: RunServices,
  run: RunRow,
  running: Parameters<typeof runProvider>[3] & {
    providers: ReadonlyMap<string, Provider>;
    workDir: string;
    pollWakes?: PollWakes;
  },
): Promise<readonly ProducedOutput[]> {
  running.signal.throwIfAborted();
  const { submitted } = running;
  const prepared = await prepareJob(services, run, { ...running, ...submitted });
  const { target } = prepared.route;
  // If anything fails from here on, this is the latest failed target.
  submitted.failed = [...submitted.failed.filter((each) => each !== target), target];
  submitted.hasOther = prepared.hasOther;
  const span = services.tracing.startSpan(`provider ${prepared.route.provider}`, {
    kind: 'client',
    parent: run.traceparent,
    fields: { generationId: run.id, modelId: run.modelId, provider: prepared.route.provider, target },
  });
  return withSpan(span, () => runProvider(services, run, prepared, running));
}

function startStep(services: Pick<Services, 'tracing'>, run: RunRow, name: string, fields: SpanFields = {}) {
  const { traceparent: parent } = run;
  return services.tracing.startSpan(name, { kind: 'internal', parent, fields: { generationId: run.id, ...fields } });
}
