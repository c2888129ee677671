import { EVENT_TYPES, type EventType, events } from '../event.ts';
import { eventExample } from '../examples.ts';
import type { Parameter, PathItem } from './document.ts';

export function describeWebhooks(): Record<string, PathItem> {
  return Object.fromEntries(EVENT_TYPES.map((type) => [type, { post: describeWebhook(type) }]));
}

function describeWebhook(type: EventType): NonNullable<PathItem['post']> {
  return {
    operationId: `on${type
      .split('.')
      .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
      .join('')}`,
    tags: ['events'],
    summary: `Sent when ${events[type].sentWhen}`,
    description: WEBHOOK_NOTE,
    security: [],
    parameters: describeHeaders(type),
    requestBody: {
      required: true,
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/WebhookEvent' }, example: eventExample(type) },
      },
    },
    responses: {
      '2XX': { description: 'Delivered. Return any 2xx within 10 seconds.' },
      default: {
        description:
          'Any other status, or no response within 10 seconds. The event is sent again after 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h and 12 h.',
      },
    },
  };
}

const WEBHOOK_NOTE = [
  'Verify the signature: take the raw request bytes, compute HMAC-SHA256 (hex) with the whole signing secret over',
  '`<t>.<raw body>`, and compare in constant time with every `v1` value of `Service-Signature`. Reject the request if `t`',
  'differs from your clock by more than 300 seconds. Events can arrive more than once and out of order: deduplicate on the',
  'event id. The operator can change the prefix `Service` of the header names.',
].join(' ');

const describeHeaders = (type: EventType): Parameter[] => [
  {
    name: 'Service-Signature',
    in: 'header',
    required: true,
    description: '`t=<unix seconds>,v1=<hex HMAC-SHA256>`. There can be several `v1` values.',
    schema: { type: 'string', pattern: '^t=[0-9]{1,12}(,v1=[0-9a-f]{64})+$' },
    example: `t=1767605462,v1=${'5d41402abc4b2a76b9719d911017c592'.repeat(2)}`,
  },
  {
    name: 'Service-Event-Id',
    in: 'header',
    required: true,
    description: 'The event id, the same on every retry.',
    schema: { type: 'string', minLength: 1 },
    example: eventExample(type).id,
  },
  {
    name: 'Service-Event-Type',
    in: 'header',
    required: true,
    description: 'The event type.',
    schema: { type: 'string', enum: EVENT_TYPES },
    example: type,
  },
];
