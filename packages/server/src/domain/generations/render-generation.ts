import type { Generation } from '@atelier/contract';
import { findOutputAssets } from '../assets/find-output-assets.ts';
import type { Services } from '../services.ts';
import type { GenerationRow } from './generations.store.ts';

/** Generations as clients see them. One query fetches the outputs of all of them. */
export async function renderGenerations(
  services: Pick<Services, 'db' | 'keys' | 'clock' | 'cdnUrl'>,
  accountId: string,
  rows: readonly GenerationRow[],
): Promise<Generation[]> {
  const generationIds = rows.filter((row) => row.status === 'succeeded').map((row) => row.id);
  const outputs = await findOutputAssets(services, { accountId, generationIds });
  return rows.map((row) => renderGeneration(row, outputs.get(row.id) ?? []));
}

export function renderGeneration(row: GenerationRow, outputs: Generation['outputs']): Generation {
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
    queueReason: queued ? (row.admitted ? 'capacity' : 'account_limit') : null,
    params: row.params,
    coinsQuoted: row.coinsQuoted,
    coinsCharged: row.coinsCharged,
    outputs,
    outputsRequested: row.outputsRequested,
    error: row.errorCode === null ? null : { code: row.errorCode, message: row.errorMessage ?? '' },
    projectId: row.projectId,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    completedAt: row.completedAt?.toISOString() ?? null,
  };
}
