import Type, { type Static } from 'typebox';
import { DateTime, Nullable, Positive } from './building-blocks.ts';
import { Generation } from './generation.ts';
import { Ref } from './marks.ts';
import { StatusValue } from './named-values.ts';

/** The events table: a row per type, with the status it reports and when it is sent. */
export const events = {
  'generation.succeeded': { status: 'succeeded', sentWhen: 'a generation finished and its outputs are ready' },
  'generation.failed': { status: 'failed', sentWhen: 'a generation failed; its coins were refunded' },
  'generation.canceled': { status: 'canceled', sentWhen: 'a queued generation was canceled' },
} as const;
export type EventType = keyof typeof events;
export const EVENT_TYPES = Object.keys(events) as EventType[];

export const WebhookEvent = Type.Object({
  id: Type.String({ minLength: 1, description: 'The same on every retry. Use it to deduplicate.' }),
  type: Ref('EventType', Type.Enum(EVENT_TYPES)),
  createdAt: DateTime(),
  test: Type.Optional(
    Type.Literal(true, {
      description: 'Present only on a test event sent manually to an endpoint. The generation does not exist.',
    }),
  ),
  data: Type.Object({ generation: Ref('Generation', Generation) }),
});
export type WebhookEvent = Static<typeof WebhookEvent>;

export const GenerationProgress = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    status: StatusValue,
    progress: Nullable(Type.Number({ minimum: 0, maximum: 1 })),
    queuePosition: Nullable(Positive()),
  },
  { description: 'Progress of an unfinished generation: the data of `generation.progress` in the stream.' },
);
export type GenerationProgress = Static<typeof GenerationProgress>;

export const EventPage = Type.Object({
  items: Type.Array(Ref('WebhookEvent', WebhookEvent)),
  nextAfter: Nullable(
    Type.String({
      minLength: 1,
      description: 'Pass it as `after` to get the events that follow. Null if the account has no events yet.',
    }),
  ),
  hasMore: Type.Boolean(),
});
export type EventPage = Static<typeof EventPage>;
