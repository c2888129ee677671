import { expect, test } from 'vitest';
import { buildOpenApi } from '../../packages/contract/src/openapi/build-open-api.ts';
import { compareOpenapi } from './compare-openapi.ts';

/** A planted change is made in place, anywhere in a copy of the real description. */
// biome-ignore lint/suspicious/noExplicitAny: a test reaches for any depth of the document
type Loose = any;

function compareAfter(plant: (document: Loose) => void): string[] {
  const previous = JSON.parse(JSON.stringify(buildOpenApi()));
  const current = structuredClone(previous);
  plant(current);
  return compareOpenapi({ previous, current });
}

const submit = (document: Loose): Loose => document.paths['/v1/generations'].post;
const list = (document: Loose): Loose => document.paths['/v1/generations'].get;
const parameter = (operation: Loose, name: string): Loose =>
  operation.parameters.find((each: Loose) => each.name === name);
const schema = (document: Loose, name: string): Loose => document.components.schemas[name];
const without = <T>(values: T[], value: T): T[] => values.filter((each) => each !== value);

const breaking: Array<[string, (document: Loose) => void, RegExp]> = [
  ['a removed path', (d) => delete d.paths['/v1/account'], /^path \/v1\/account: was removed$/],
  ['a removed operation', (d) => delete d.paths['/v1/generations'].get, /GET was removed/],
  ['a renamed operation', (d) => (submit(d).operationId = 'submit'), /createGeneration is now called submit/],
  ['another scope', (d) => (list(d).security = [{ bearer: ['account'] }]), /another scope/],
  ['a key on a public operation', (d) => (d.paths['/v1/models'].get.security = [{ bearer: [] }]), /credential/],
  ['a removed success status', (d) => delete submit(d).responses[200], /the status 200 was removed/],
  ['a removed problem status', (d) => delete submit(d).responses[402], /the status 402 was removed/],
  [
    'a removed problem code',
    (d) => submit(d).responses[409]['x-problem-codes'].pop(),
    /409: the problem code max_coins_exceeded was removed/,
  ],
  [
    'a removed header',
    (d) => delete list(d).responses[200].headers['RateLimit-Limit'],
    /the header RateLimit-Limit was removed/,
  ],
  [
    'a removed response content type',
    (d) => (submit(d).responses[402].content = { 'text/plain': { schema: {} } }),
    /the content type application\/problem\+json was removed/,
  ],
  [
    'a removed request content type',
    (d) => (submit(d).requestBody.content = {}),
    /request: the content type application\/json was removed/,
  ],
  ['a removed parameter', (d) => list(d).parameters.shift(), /the query parameter cursor was removed/],
  [
    'a parameter made required',
    (d) => (parameter(list(d), 'status').required = true),
    /parameter status is now required/,
  ],
  [
    'a new required parameter',
    (d) => list(d).parameters.push({ name: 'team', in: 'query', required: true, schema: {} }),
    /the query parameter team is new and required/,
  ],
  ['a lowered maximum', (d) => (parameter(list(d), 'limit').schema.maximum = 50), /maximum is narrower, 100 became 50/],
  ['another default', (d) => (parameter(list(d), 'limit').schema.default = 10), /default changed from 30 to 10/],
  [
    'a removed enum value in a request',
    (d) => schema(d, 'GenerationStatus').enum.pop(),
    /request schema GenerationStatus: the value "canceled" was removed/,
  ],
  [
    'another pattern',
    (d) => (parameter(submit(d), 'Idempotency-Key').schema.pattern = '^[a-z]{16,128}$'),
    /pattern is narrower/,
  ],
  [
    'a new required request field',
    (d) => {
      schema(d, 'CreateQuoteBody').properties.team = { type: 'string' };
      schema(d, 'CreateQuoteBody').required.push('team');
    },
    /request schema CreateQuoteBody: the field team is now required/,
  ],
  [
    'an optional request field made required',
    (d) => schema(d, 'CreateGenerationWithQuote').required.push('consent'),
    /CreateGenerationWithQuote: the field consent is now required/,
  ],
  [
    'a removed request field',
    (d) => delete schema(d, 'CreateGenerationWithMaxCoins').properties.projectId,
    /CreateGenerationWithMaxCoins: the field projectId was removed/,
  ],
  [
    'a raised minimum length',
    (d) => (schema(d, 'CreateQuoteBody').properties.modelId.minLength = 3),
    /CreateQuoteBody.modelId: minLength is narrower, 1 became 3/,
  ],
  [
    'a narrowed request type',
    (d) => (schema(d, 'CreateGenerationWithQuote').properties.projectId.type = 'string'),
    /projectId: the type changed from string or null to string/,
  ],
  ['a removed variant in a request', (d) => schema(d, 'ParamValue').anyOf.pop(), /the variant 4 was removed/],
  [
    'a removed response field',
    (d) => {
      delete schema(d, 'Generation').properties.progress;
      schema(d, 'Generation').required = without(schema(d, 'Generation').required, 'progress');
    },
    /response schema Generation: the field progress was removed/,
  ],
  [
    'a response field that may be missing',
    (d) => (schema(d, 'Asset').required = without(schema(d, 'Asset').required, 'mimeType')),
    /response schema Asset: the field mimeType may now be missing/,
  ],
  [
    'a changed response type',
    (d) => (schema(d, 'Generation').properties.coinsQuoted.type = 'string'),
    /coinsQuoted: the type changed from integer to string/,
  ],
  [
    'a response that may now be null',
    (d) => (schema(d, 'Asset').properties.url.type = ['string', 'null']),
    /url: the type changed from string to string or null/,
  ],
  [
    'an integer that may now be a fraction',
    (d) => (schema(d, 'QuoteResponse').properties.coins.type = 'number'),
    /coins: the type changed from integer to number/,
  ],
  [
    'a removed enum value in a response',
    (d) => schema(d, 'FailureCode').enum.pop(),
    /response schema FailureCode: the value "internal" was removed/,
  ],
  [
    'a wider bound in a response',
    (d) => (schema(d, 'Generation').properties.progress.maximum = 100),
    /progress: maximum is wider, 1 became 100/,
  ],
  [
    'a removed variant in a response',
    (d) => schema(d, 'ParamDescriptor').oneOf.splice(2, 1),
    /the variant RangeParam was removed/,
  ],
  [
    'a named schema that may now be null',
    (d) => {
      schema(d, 'Generation').properties.taskType = {
        anyOf: [{ $ref: '#/components/schemas/TaskType' }, { type: 'null' }],
      };
    },
    /taskType: the type changed from string to string or null/,
  ],
  [
    'another element type',
    (d) => (schema(d, 'GenerationPage').properties.items.items = { type: 'string' }),
    /GenerationPage.items\[\]/,
  ],
  ['a removed webhook', (d) => delete d.webhooks['generation.failed'], /webhook generation.failed: was removed/],
  [
    'a removed webhook header',
    (d) => d.webhooks['generation.failed'].post.parameters.shift(),
    /header parameter Service-Signature was removed/,
  ],
  [
    'a renamed schema',
    (d) => {
      d.components.schemas.Money = schema(d, 'Concurrency');
      delete d.components.schemas.Concurrency;
    },
    /schema Concurrency: the name was removed/,
  ],
];

test.each(breaking)('caught: %s', (_name, plant, sentence) => {
  expect(compareAfter(plant)).toContainEqual(expect.stringMatching(sentence));
});

const additive: Array<[string, (document: Loose) => void]> = [
  ['a new path', (d) => (d.paths['/v1/voices'] = { get: { operationId: 'listVoices', responses: {} } })],
  ['a new method', (d) => (d.paths['/v1/account'].post = { operationId: 'editAccount', responses: {} })],
  [
    'a new optional parameter',
    (d) => list(d).parameters.push({ name: 'team', in: 'query', required: false, schema: {} }),
  ],
  ['a new optional request field', (d) => (schema(d, 'CreateQuoteBody').properties.team = { type: 'string' })],
  ['a new response field', (d) => (schema(d, 'Generation').properties.team = { type: 'string' })],
  ['a new required response field', (d) => schema(d, 'Generation').required.push('queueReason')],
  ['a new enum value in a response', (d) => schema(d, 'FailureCode').enum.push('moon')],
  ['a new enum value in a request', (d) => schema(d, 'GenerationStatus').enum.push('paused')],
  [
    'a name for an inline schema that may be null',
    (d) => {
      const { properties } = schema(d, 'Generation');
      d.components.schemas.ProjectId = { type: 'string', minLength: 1 };
      properties.projectId = { anyOf: [{ $ref: '#/components/schemas/ProjectId' }, { type: 'null' }] };
    },
  ],
  ['a raised maximum in a request', (d) => (parameter(list(d), 'limit').schema.maximum = 200)],
  ['a narrower bound in a response', (d) => (schema(d, 'Generation').properties.progress.minimum = 0.1)],
  [
    'a request that also takes null',
    (d) => (schema(d, 'CreateQuoteBody').properties.effectId.type = ['string', 'null']),
  ],
  ['a response that is never null any more', (d) => (schema(d, 'Asset').properties.posterUrl.type = 'string')],
  ['a new problem code', (d) => submit(d).responses[409]['x-problem-codes'].push('paused')],
  ['a new status', (d) => (submit(d).responses[451] = { description: 'Blocked.' })],
  ['a new webhook', (d) => (d.webhooks['generation.started'] = { post: { responses: {} } })],
  ['an operation made public', (d) => (list(d).security = [])],
  [
    'a new kind of param descriptor',
    (d) => schema(d, 'ParamDescriptor').oneOf.push({ type: 'object', properties: { kind: { const: 'colour' } } }),
  ],
  ['other words', (d) => (submit(d).description = 'Other words.')],
];

test.each(additive)('passes: %s', (_name, plant) => {
  expect(compareAfter(plant)).toEqual([]);
});

test('a change in a shared schema is reported once', () => {
  const told = compareAfter((d) => (schema(d, 'Generation').properties.coinsQuoted.type = 'string'));
  expect(told).toHaveLength(1);
});
