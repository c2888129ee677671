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
      '2XX': { description: 'Received. Any 2xx within ten seconds ends the delivery.' },
      default: {
        description:
          'Anything else, or no answer in ten seconds: sent again after 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h and 12 h.',
      },
    },
  };
}

const WEBHOOK_NOTE = [
  'Verify before you trust it: take the raw request bytes, compute HMAC-SHA256 (hex) with the whole signing secret over',
  '`<t>.<raw body>`, and compare in constant time with every `v1` value of `Service-Signature`. Refuse a `t` more than 300',
  'seconds away from your clock. A delivery may arrive twice and out of order: deduplicate on the event id.',
  'The word `Service` in the header names is a setting of the operator.',
].join(' ');

const describeHeaders = (type: EventType): Parameter[] => [
  {
    name: 'Service-Signature',
    in: 'header',
    required: true,
    description: '`t=<unix seconds>,v1=<hex HMAC-SHA256>`; there may be several `v1` values.',
    schema: { type: 'string', pattern: '^t=[0-9]{1,12}(,v1=[0-9a-f]{64})+$' },
    example: `t=1767605462,v1=${'5d41402abc4b2a76b9719d911017c592'.repeat(2)}`,
  },
  {
    name: 'Service-Event-Id',
    in: 'header',
    required: true,
    description: 'The event id, identical on every retry.',
    schema: { type: 'string', minLength: 1 },
    example: eventExample(type).id,
  },
  {
    name: 'Service-Event-Type',
    in: 'header',
    required: true,
    description: 'The type of the event.',
    schema: { type: 'string', enum: EVENT_TYPES },
    example: type,
  },
];
