import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Provider, ProviderError, type ProviderJob } from '../../../providers/provider.ts';
import { findInputFacts } from '../../assets/find-assets.ts';
import type { Catalog, CatalogModel } from '../../catalog/catalog.ts';
import { checkParams } from '../../catalog/check-params.ts';
import { type ChosenRoute, findRoutes } from '../../quotes/choose-route.ts';
import type { Services } from '../../services.ts';
import type { EffectiveRequest } from '../generations.store.ts';
import { describeEffective } from '../submit/describe-effective.ts';
import { createCallback, type PollWakes } from './callbacks.ts';
import { type RunRow, updateProgress } from './runs.store.ts';

type PrepareServices = Pick<Services, 'db' | 'store' | 'catalog' | 'switches' | 'keys' | 'publicUrl' | 'cell'>;

export interface Prepared {
  readonly route: ChosenRoute;
  readonly provider: Provider;
  readonly job: ProviderJob;
  /** Whether another route exists that has not failed yet. */
  readonly hasOther: boolean;
}

/** Chooses the route of this try and prepares its job, with the uploads on disk if the provider reads them. */
export async function prepareJob(
  services: PrepareServices,
  run: RunRow,
  options: {
    providers: ReadonlyMap<string, Provider>;
    workDir: string;
    signal: AbortSignal;
    /** The target that already has this generation, if any. */
    target: string | null;
    /** Targets that failed in this run, latest last: others are tried first, at the same price. */
    failed: readonly string[];
    pollWakes?: PollWakes | undefined;
  },
): Promise<Prepared> {
  const catalog = services.catalog();
  const model = catalog.models.get(run.modelId);
  if (model === undefined) throw new ProviderError('unavailable', 'The model is no longer available.');
  const routes = findRoutes({
    model: { ...model, closed: false },
    mode: run.mode,
    // Accepted generations run even if the model was closed after the submit.
    switches: { ...services.switches.current(), closedModels: new Set() },
  }).filter(({ provider, settings }) => {
    const found = options.providers.get(provider);
    return found !== undefined && found.serves?.(settings) !== false;
  });
  const fresh = routes.filter(({ target }) => !options.failed.includes(target));
  const route =
    routes.find(({ target }) => target === options.target) ??
    fresh[0] ??
    routes.toSorted((a, b) => options.failed.indexOf(a.target) - options.failed.indexOf(b.target))[0];
  if (route === undefined) {
    throw new ProviderError('unavailable', 'No provider serves this model.', { retryable: true });
  }
  const provider = options.providers.get(route.provider)!;
  const effective = run.effective ?? findEffective(catalog, model, run);
  const inputs: Record<string, string[]> = {};
  if (provider.readsInputs === true) {
    const ids = Object.values(effective.inputs).flat();
    const facts = await findInputFacts(services, { accountId: run.accountId, ids });
    for (const [param, of] of Object.entries(effective.inputs)) {
      inputs[param] = [];
      for (const id of of) {
        const found = facts.get(id);
        if (found === undefined) throw gone();
        const path = join(options.workDir, `input-${id}`);
        await copyFromStore(services, { key: found.objectKey, path, signal: options.signal });
        inputs[param].push(path);
      }
    }
  }
  const job: ProviderJob = {
    generationId: run.id,
    modelId: run.modelId,
    taskType: run.taskType,
    params: effective.params,
    inputs,
    effectId: run.effectId,
    effectSettings: effective.effectSettings,
    outputs: run.outputsRequested,
    workDir: options.workDir,
    deadlineAt: run.deadlineAt,
    route: route.settings,
    signal: options.signal,
    ...(options.pollWakes !== undefined && {
      callback: createCallback(
        services,
        { generationId: run.id, attempt: run.attempt },
        { pollWakes: options.pollWakes, signal: options.signal },
      ),
    }),
    report: createProgressReport(services, run),
  };
  return { route, provider, job, hasOther: fresh.some(({ target }) => target !== route.target) };
}

/** For generations submitted before their effective params were stored. */
function findEffective(catalog: Catalog, model: CatalogModel, run: RunRow): EffectiveRequest {
  const effect = run.effectId === null ? null : (catalog.effects.get(run.effectId) ?? null);
  const { effective, media } = checkParams({ model, effect, params: run.params, draft: true });
  return describeEffective({ effective, media, effect });
}

async function copyFromStore(
  services: Pick<Services, 'store'>,
  { key, path, signal }: { key: string; path: string; signal: AbortSignal },
): Promise<void> {
  const found = await services.store.read({ key, signal });
  if (found === null) throw gone();
  await pipeline(found.stream, createWriteStream(path), { signal });
}

function gone(): ProviderError {
  return new ProviderError('invalid_input', 'An upload was deleted before the generation ran.');
}

const INTERVAL_MS = 500;

/** Accepts progress at any rate and records it at intervals. Losing a report is harmless: another follows. */
function createProgressReport(services: Pick<Services, 'db'>, run: RunRow): (progress: number) => void {
  let reportedAtMs = 0;
  return (progress) => {
    if (!Number.isFinite(progress) || Date.now() - reportedAtMs < INTERVAL_MS) return;
    reportedAtMs = Date.now();
    const part = Math.min(1, Math.max(0, progress));
    updateProgress(services.db, { id: run.id, attempt: run.attempt, progress: part }).catch(() => {});
  };
}
