import Type, { type Static } from 'typebox';
import { Closed, Nullable } from '../building-blocks.ts';
import { ModelName, Prompt, Size } from './fields.ts';

export const CreateVideoBody = Type.Object(
  {
    prompt: Prompt,
    model: Type.Optional(ModelName),
    size: Type.Optional(Size),
    seconds: Type.Optional(Type.Union([Type.String({ pattern: '^[0-9]{1,3}(\\.[0-9]{1,2})?$' }), Type.Number()])),
  },
  Closed,
);
export type CreateVideoBody = Static<typeof CreateVideoBody>;

export const ListVideosQuery = Type.Object(
  {
    after: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1024, description: '`last_id` of the previous page, as it is.' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    order: Type.Optional(Type.Enum(['desc'])),
  },
  Closed,
);
export type ListVideosQuery = Static<typeof ListVideosQuery>;

export const VideoContentQuery = Type.Object({ variant: Type.Optional(Type.Enum(['video', 'thumbnail'])) }, Closed);

export const VIDEO_STATUSES = ['queued', 'in_progress', 'completed', 'failed'] as const;

export const Video = Type.Object({
  id: Type.String(),
  object: Type.Literal('video'),
  model: Type.String(),
  status: Type.Enum(VIDEO_STATUSES),
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  created_at: Type.Integer(),
  completed_at: Nullable(Type.Integer()),
  expires_at: Nullable(Type.Integer()),
  prompt: Nullable(Type.String()),
  seconds: Nullable(Type.String()),
  size: Nullable(Type.String()),
  remixed_from_video_id: Type.Null(),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
});
export type Video = Static<typeof Video>;

/** `last_id` is the cursor of the next page. */
export const VideoList = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(Video),
  first_id: Nullable(Type.String()),
  last_id: Nullable(Type.String()),
  has_more: Type.Boolean(),
});
export type VideoList = Static<typeof VideoList>;
