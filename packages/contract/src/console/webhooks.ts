import Type, { type Static } from 'typebox';
import { Closed, DateTime, Natural, Nullable, Positive } from '../building-blocks.ts';
import { EVENT_TYPES, type EventType } from '../event.ts';
import { UUID_PATTERN } from '../vocabulary.ts';

export const ENDPOINT_STATUSES = ['active', 'paused'] as const;
export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed', 'stopped', 'held'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** Events about the account, not about a generation: only endpoints that subscribe to them get them, and the feed has none. */
export const NOTICE_TYPES = ['budget.reached'] as const;
export type NoticeType = (typeof NOTICE_TYPES)[number];
/** What an endpoint can subscribe to. */
export const ENDPOINT_EVENTS: readonly EndpointEvent[] = [...EVENT_TYPES, ...NOTICE_TYPES];
export type EndpointEvent = EventType | NoticeType;

const Id = Type.String({ pattern: UUID_PATTERN });
const EventTypeValue = Type.Enum([...EVENT_TYPES, ...NOTICE_TYPES]);

const Url = Type.String({ minLength: 1, maxLength: 2048, description: 'Where events are sent.' });
const Events = Type.Array(EventTypeValue, {
  minItems: 1,
  maxItems: ENDPOINT_EVENTS.length,
  uniqueItems: true,
  description: 'The types of events to send.',
});
const KeyId = Nullable(
  Type.String({ pattern: UUID_PATTERN, description: 'Only generations of this key; null for those of every key.' }),
);

export const Endpoint = Type.Object({
  id: Id,
  url: Type.String(),
  events: Type.Array(EventTypeValue),
  keyId: KeyId,
  status: Type.Enum(ENDPOINT_STATUSES),
  statusReason: Nullable(Type.String({ description: 'Why the endpoint is paused.' })),
  failingSince: Nullable(DateTime('Since when every delivery fails; null if the last one succeeded.')),
  createdAt: DateTime(),
  updatedAt: DateTime(),
});
export type Endpoint = Static<typeof Endpoint>;

export const EndpointList = Type.Object({
  items: Type.Array(Endpoint, { description: 'Oldest first. An account has at most 50.' }),
});

export const CreateEndpointBody = Type.Object({ url: Url, events: Events, keyId: Type.Optional(KeyId) }, Closed);

export const UpdateEndpointBody = Type.Object(
  { url: Type.Optional(Url), events: Type.Optional(Events), keyId: Type.Optional(KeyId) },
  { ...Closed, minProperties: 1, description: 'Omitted settings stay.' },
);

export const CreatedEndpoint = Type.Object({
  endpoint: Endpoint,
  secret: Type.String({ description: 'The signing secret, `whsec_...`. Shown once.' }),
});
export type CreatedEndpoint = Static<typeof CreatedEndpoint>;

export const RotatedSecret = Type.Object({
  secret: Type.String({ description: 'The new signing secret. Shown once; the old one no longer signs.' }),
});

export const TestEventBody = Type.Object({ type: EventTypeValue }, Closed);
export const SentTestEvent = Type.Object({ deliveryId: Id });

export const Attempt = Type.Object({
  round: Positive('Each redelivery begins a new round.'),
  n: Positive('Number of the attempt in its round, from 1 to 9.'),
  startedAt: DateTime(),
  finishedAt: DateTime(),
  ok: Type.Boolean(),
  statusCode: Nullable(Type.Integer({ description: 'Null if there was no response.' })),
  error: Nullable(Type.String({ description: 'Why the attempt failed.' })),
  latencyMs: Natural('Until the headers of the response arrived.'),
  responseBody: Nullable(Type.String({ description: 'The start of the response, as text. At most 4 KB.' })),
});
export type Attempt = Static<typeof Attempt>;

const deliveryFields = {
  id: Id,
  endpointId: Id,
  eventId: Type.String(),
  eventType: EventTypeValue,
  generationId: Nullable(Type.String({ description: 'Null if the event is not about a generation.' })),
  isTest: Type.Boolean({ description: 'Sent manually; what it is about does not exist.' }),
  status: Type.Enum(DELIVERY_STATUSES, {
    description:
      '`pending` has a next attempt. `failed` used up its attempts. `stopped` ended because the endpoint was paused or deleted. `held` waits for a redelivery.',
  }),
  reason: Nullable(Type.String({ description: 'Why it is not delivered.' })),
  createdAt: DateTime(),
  finishedAt: Nullable(DateTime()),
  nextAttemptAt: Nullable(DateTime('When it is tried again; null if it is not.')),
  attemptCount: Natural('Attempts made in all rounds.'),
  lastAttempt: Nullable(Attempt),
};

export const Delivery = Type.Object(deliveryFields);
export type Delivery = Static<typeof Delivery>;

export const DeliveryPage = Type.Object({
  items: Type.Array(Delivery, { description: 'Newest first.' }),
  nextCursor: Nullable(
    Type.String({ description: 'Pass it as `cursor` to get the next page; null on the last page.' }),
  ),
});
export type DeliveryPage = Static<typeof DeliveryPage>;

export const ListDeliveriesQuery = Type.Object(
  {
    status: Type.Optional(Type.Enum(DELIVERY_STATUSES)),
    cursor: Type.Optional(Type.String({ pattern: UUID_PATTERN })),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 30 })),
  },
  Closed,
);

export const DeliveryRequest = Type.Object({
  exact: Type.Boolean({
    description:
      'True: the bytes of the last failed attempt. False: the request as it would be sent now, with fresh links and without its signature.',
  }),
  method: Type.Literal('POST'),
  url: Type.String(),
  headers: Type.Record(Type.String(), Type.String()),
  body: Type.String(),
});
export type DeliveryRequest = Static<typeof DeliveryRequest>;

export const DeliveryDetail = Type.Object({
  ...deliveryFields,
  attempts: Type.Array(Attempt, {
    description: 'Oldest first. Each has its response; response headers are not stored.',
  }),
  request: Nullable(DeliveryRequest),
});
export type DeliveryDetail = Static<typeof DeliveryDetail>;

export const RedeliverFailedBody = Type.Object(
  { since: DateTime('Everything that failed, stopped or was held since then is sent again.') },
  Closed,
);
export const RedeliveredFailed = Type.Object({
  redelivered: Natural(),
  more: Type.Boolean({ description: 'True: call again for the rest.' }),
});

export const SIGNATURE_VERDICTS = [
  'ok',
  'malformed_header',
  'other_header',
  'wrong_secret',
  'changed_body',
  'clock',
  'wrong_computation',
  'unexplained',
] as const;

export const ExplainSignatureBody = Type.Object(
  {
    header: Type.String({ maxLength: 2048, description: 'The signature header as the receiver got it.' }),
    body: Type.String({ maxLength: 200_000, description: 'The body as the receiver got it, byte for byte.' }),
    deliveryId: Type.Optional(
      Type.String({
        pattern: UUID_PATTERN,
        description: 'The delivery to compare with. Found by the header if omitted.',
      }),
    ),
    secret: Type.Optional(Type.String({ maxLength: 200, description: 'The secret that the receiver uses.' })),
    computedSignature: Type.Optional(
      Type.String({ maxLength: 500, description: 'The value that the receiver computed, in any encoding.' }),
    ),
    receivedAt: Type.Optional(DateTime("The receiver's clock when it checked the signature.")),
  },
  Closed,
);

const Finding = Type.Object({
  verdict: Type.Enum(SIGNATURE_VERDICTS),
  sentence: Type.String({ description: 'For the developer of the receiver. Never contains a secret.' }),
});

export const ExplainedSignature = Type.Object({
  verdict: Type.Enum(SIGNATURE_VERDICTS),
  sentence: Type.String(),
  findings: Type.Array(Finding, { description: 'In the order to fix them. Empty if the signature is right.' }),
  comparedWith: Nullable(
    Type.Object(
      { deliveryId: Id, round: Positive(), n: Positive() },
      {
        description:
          'The recorded attempt that was compared; null if none matches and only the pasted values were checked.',
      },
    ),
  ),
});
export type ExplainedSignature = Static<typeof ExplainedSignature>;
