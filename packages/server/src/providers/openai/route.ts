import type { TaskType } from '@atelier/contract';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { fieldMapProperties, targetsOf } from '../remote/fields/field-map.ts';

const OPERATIONS = ['images', 'edits', 'videos', 'speech', 'transcriptions'] as const;
export type Operation = (typeof OPERATIONS)[number];

export const OpenAiRoute = Type.Object(
  {
    provider: Type.Optional(Type.String()),
    backend: Type.String(),
    /** Servers with a single model need none. */
    model: Type.Optional(Type.String()),
    operation: Type.Optional(Type.Enum(OPERATIONS)),
    ...fieldMapProperties,
  },
  { additionalProperties: false },
);
export type OpenAiRoute = Static<typeof OpenAiRoute>;
export const openAiRouteShape = Compile(OpenAiRoute);

export function operationOf(route: OpenAiRoute, taskType: TaskType): Operation {
  if (route.operation !== undefined) return route.operation;
  if (taskType === 'image.generate') return 'images';
  if (taskType === 'audio.stt') return 'transcriptions';
  if (taskType.startsWith('video.')) return 'videos';
  return taskType.startsWith('audio.') ? 'speech' : 'edits';
}

/** Whether the route sends a mask. SGLang accepts one but changes the whole picture. */
export function sendsMask({ map = {} }: OpenAiRoute): boolean {
  return Object.keys(map).some((param) =>
    targetsOf(map, param).some(({ field, mask }) => field === 'mask' || mask !== undefined),
  );
}
