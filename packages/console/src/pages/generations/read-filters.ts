import { MODALITIES, STATUSES, WORKSPACES } from '@atelier/contract';
import type { GenerationFilters } from './generation-queries.ts';

const oneOf = <T extends string>(list: readonly T[], value: unknown): T | undefined =>
  list.find((each) => each === value);

/** The filters in an address. Values that do not exist are left out. */
export function readFilters(search: Readonly<Record<string, unknown>>): GenerationFilters {
  const status = oneOf(STATUSES, search.status);
  const modality = oneOf(MODALITIES, search.modality);
  const workspace = oneOf(WORKSPACES, search.workspace);
  return {
    ...(status === undefined ? {} : { status }),
    ...(modality === undefined ? {} : { modality }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(typeof search.modelId === 'string' && search.modelId !== '' ? { modelId: search.modelId } : {}),
    ...(search.active === true ? { active: true } : {}),
  };
}
