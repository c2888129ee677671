import Type from 'typebox';
import { Ref } from './marks.ts';
import { PUBLIC_PROBLEM_CODES } from './problems.ts';
import {
  ASSET_KINDS,
  CHANNELS,
  FAILURE_CODES,
  MODALITIES,
  PARAM_NAMES,
  SCOPES,
  STATUSES,
  TASK_TYPES,
  WORKSPACES,
} from './vocabulary.ts';

/** The enums of the API as named schemas, so that generated clients have a type for each. */

export const ParamNameValue = Ref('ParamName', Type.Enum(PARAM_NAMES));
export const TaskTypeValue = Ref('TaskType', Type.Enum(TASK_TYPES, { description: 'What a model does.' }));
export const ModalityValue = Ref('Modality', Type.Enum(MODALITIES, { description: 'What a model produces.' }));
export const WorkspaceValue = Ref(
  'Workspace',
  Type.Enum(WORKSPACES, { description: 'The section of a user interface in which to show the model.' }),
);
export const StatusValue = Ref(
  'GenerationStatus',
  Type.Enum(STATUSES, { description: '`succeeded`, `failed` and `canceled` are final.' }),
);
export const FailureCodeValue = Ref(
  'FailureCode',
  Type.Enum(FAILURE_CODES, { description: 'Why the generation failed. Its coins were refunded.' }),
);
export const AssetKindValue = Ref('AssetKind', Type.Enum(ASSET_KINDS));
export const ScopeValue = Ref('Scope', Type.Enum(SCOPES));
export const ChannelValue = Ref('Channel', Type.Enum(CHANNELS));
export const ProblemCodeValue = Ref(
  'ProblemCode',
  Type.Enum(PUBLIC_PROBLEM_CODES, { description: 'Stable: branch on it. New codes may be added.' }),
);
