import type { TSchema } from 'typebox';
import { type OperationExample, operationExamples } from '../examples.ts';
import { type OperationId, type OperationRow, operations } from '../operations.ts';
import { IDEMPOTENCY_KEY_PATTERN, UPLOAD_TYPES } from '../vocabulary.ts';
import { describeProblems } from './describe-problems.ts';
import type { JsonSchema, MediaType, OperationObject, Parameter, Response } from './document.ts';
import { extractComponents } from './extract-components.ts';
import { CACHE_HEADERS, DEPRECATION_HEADERS, type HeaderName, RATE_LIMIT_HEADERS, referToHeaders } from './headers.ts';
import { operationNotes } from './operation-notes.ts';

type Components = Map<string, JsonSchema>;

export function describeOperation(id: OperationId, components: Components): OperationObject {
  const row: OperationRow = operations[id];
  const example: OperationExample = operationExamples[id];
  const parameters = [
    ...describeParameters({ place: 'path', schema: row.params, values: example.params }, components),
    ...describeParameters({ place: 'query', schema: row.query, values: example.query }, components),
    ...(row.idempotent ? [idempotencyKey] : []),
    ...(CACHED.has(id) ? [ifNoneMatch] : []),
  ];
  const body = describeBody(row, example, components);
  return {
    operationId: id,
    tags: [row.tag],
    summary: row.summary,
    description: operationNotes[id],
    security: row.scope === null ? [] : [{ bearer: [row.scope] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: body } }),
    responses: {
      ...describeSuccess(id, components),
      ...(CACHED.has(id) ? { 304: { description: 'Not changed. No body.', ...referToHeaders(CACHE_HEADERS) } } : {}),
      ...describeProblems(row.problems),
    },
  };
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: true,
  description:
    'A random value for each intended generation. Send the same value on every retry. Keys are scoped to the account.',
  schema: { type: 'string', minLength: 16, maxLength: 128, pattern: IDEMPOTENCY_KEY_PATTERN },
  example: 'b3f1c0de-6a55-4f0e-9d3c-1f2e7a90c4d8',
};

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of an earlier response. If nothing has changed, the response is 304 without a body.',
  schema: { type: 'string' },
  example: '"mq1Tz0hYw8nVJ4rK2cXa5g"',
};

/** Operations whose responses may be cached. */
const CACHED: ReadonlySet<OperationId> = new Set(['listModels', 'getModel', 'listEffects']);

function describeParameters(
  options: { place: 'path' | 'query'; schema: TSchema | undefined; values: object | undefined },
  components: Components,
): Parameter[] {
  if (options.schema === undefined) return [];
  const object = extractComponents(options.schema, components) as {
    properties: Record<string, JsonSchema>;
    required?: string[];
  };
  const values = (options.values ?? {}) as Record<string, unknown>;
  return Object.entries(object.properties).map(([name, { description, ...schema }]) => ({
    name,
    in: options.place,
    required: object.required?.includes(name) ?? false,
    ...(typeof description === 'string' ? { description } : {}),
    schema,
    ...(name in values ? { example: values[name] } : {}),
  }));
}

function describeBody(
  row: OperationRow,
  example: OperationExample,
  components: Components,
): Record<string, MediaType> | undefined {
  if (row.multipart) return { 'multipart/form-data': multipartFile };
  if (row.raw) return { 'application/octet-stream': rawBytes };
  if (row.body === undefined) return undefined;
  return { 'application/json': { schema: extractComponents(row.body, components), example: example.request } };
}

const rawBytes: MediaType = {
  schema: { type: 'string', format: 'binary', description: 'The bytes of the chunk.' },
  example: '...',
};

const multipartFile: MediaType = {
  schema: {
    type: 'object',
    required: ['file'],
    properties: {
      file: { type: 'string', format: 'binary', description: 'The file. Its type is detected from its content.' },
    },
  },
  encoding: { file: { contentType: UPLOAD_TYPES.join(', ') } },
  example: { file: 'portrait.jpg' },
};

/** Success headers of single operations. */
const OWN_HEADERS: { readonly [K in OperationId]?: readonly HeaderName[] } = {
  listModels: CACHE_HEADERS,
  getModel: CACHE_HEADERS,
  listEffects: CACHE_HEADERS,
  getGeneration: ['Retry-After'],
  createQuote: DEPRECATION_HEADERS,
  createGeneration: DEPRECATION_HEADERS,
};

function describeSuccess(id: OperationId, components: Components): Record<string, Response> {
  const row: OperationRow = operations[id];
  const example: OperationExample = operationExamples[id];
  const schema = extractComponents(row.response, components);
  const names = [...(row.scope === null ? [] : RATE_LIMIT_HEADERS), ...(OWN_HEADERS[id] ?? [])];
  const answer = (description: string, value: unknown, more: readonly HeaderName[] = []): Response => ({
    description,
    ...referToHeaders([...names, ...more]),
    content: { [row.stream ? 'text/event-stream' : 'application/json']: { schema, example: value } },
  });
  return {
    ...(row.idempotent
      ? {
          200: answer(
            'Repeated request with the same key and body: the original generation. Nothing is charged again.',
            example.replay,
            ['Idempotency-Replayed'],
          ),
        }
      : {}),
    [row.status]: answer(row.status === 201 ? 'Created.' : 'OK.', example.response),
  };
}
