import { FAILURE_MESSAGES, type Generation, type QUEUE_REASONS } from '@atelier/contract';
import { findOutputAssets } from '../../assets/find-assets.ts';
import type { Services } from '../../services.ts';
import type { GenerationRow } from '../generations.store.ts';
import { isServed, type ServingFacts } from '../run/serving.ts';

/** Generations as clients see them. One query fetches the outputs of all of them. */
export async function renderGenerations(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  accountId: string,
  rows: readonly GenerationRow[],
  /** Decides whether a queued generation is served; not needed for ended ones. */
  facts?: ServingFacts,
): Promise<Generation[]> {
  const generationIds = rows.filter((row) => row.status === 'succeeded').map((row) => row.id);
  const outputs = await findOutputAssets(services, { accountId, generationIds });
  const served = (row: GenerationRow) => row.status !== 'queued' || facts === undefined || isServed(row, facts);
  return rows.map((row) => renderGeneration(row, outputs.get(row.id) ?? [], served(row)));
}

/** `served`: whether a worker offers what it needs; used only while it is queued. */
export function renderGeneration(row: GenerationRow, outputs: Generation['outputs'], served = true): Generation {
  const queued = row.status === 'queued';
  return {
    id: row.id,
    modelId: row.modelId,
    modelName: row.modelName,
    taskType: row.taskType,
    modality: row.modality,
    workspace: row.workspace,
    effect: row.effectId === null ? null : { id: row.effectId, text: row.effectText },
    status: row.status,
    progress: row.progress,
    queuePosition: queued ? row.queuePosition : null,
    queueReason: queued ? queueReason(row, served) : null,
    params: row.params,
    coinsQuoted: row.coinsQuoted,
    coinsCharged: row.coinsCharged,
    outputs,
    outputsRequested: row.outputsRequested,
    error: row.errorCode === null ? null : { code: row.errorCode, message: FAILURE_MESSAGES[row.errorCode] },
    projectId: row.projectId,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}

type QueueReason = (typeof QUEUE_REASONS)[number];

function queueReason(row: GenerationRow, served: boolean): QueueReason {
  if (!served) return 'no_worker';
  return row.atLimit ? 'account_limit' : 'capacity';
}
