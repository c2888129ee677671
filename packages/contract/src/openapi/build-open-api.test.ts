import Schema from 'typebox/schema';
import { describe, expect, test } from 'vitest';
import { EVENT_TYPES } from '../event.ts';
import { type OperationId, type OperationRow, operations } from '../operations.ts';
import { type ProblemCode, problems } from '../problems.ts';
import { buildOpenApi } from './build-open-api.ts';
import type { Example, JsonSchema, MediaType, OperationObject, Reference } from './document.ts';

const document = buildOpenApi();
const ids = Object.keys(operations) as OperationId[];

function find(id: OperationId): OperationObject {
  const { path, method } = operations[id];
  return document.paths[path]![method.toLowerCase() as 'get' | 'post']!;
}

/** References resolve against the root, so the components ride along with each schema. */
function errorsOf(schema: JsonSchema, value: unknown): string[] {
  const [valid, errors] = Schema.Errors({ ...schema, components: document.components }, value);
  return valid ? [] : errors.map((error) => `${error.instancePath} ${error.message}`);
}

function examplesOf(media: MediaType): unknown[] {
  const named = Object.values(media.examples ?? {}).map((example: Example | Reference) => {
    if (!('$ref' in example)) return example.value;
    return document.components.examples[example.$ref.split('/').at(-1)!]?.value;
  });
  return media.example === undefined ? named : [media.example, ...named];
}

function* allMedia(operation: OperationObject): Generator<[string, MediaType]> {
  for (const [type, media] of Object.entries(operation.requestBody?.content ?? {})) yield [`request ${type}`, media];
  for (const [status, response] of Object.entries(operation.responses)) {
    for (const [type, media] of Object.entries(response.content ?? {})) yield [`${status} ${type}`, media];
  }
}

function checkExamples(operation: OperationObject): void {
  for (const [place, media] of allMedia(operation)) {
    const examples = examplesOf(media);
    expect(examples, place).not.toHaveLength(0);
    for (const example of examples) expect(errorsOf(media.schema, example), place).toEqual([]);
  }
  for (const { name, schema, example } of operation.parameters ?? []) {
    if (example !== undefined) expect(errorsOf(schema, example), name).toEqual([]);
  }
}

describe.each(ids)('%s', (id) => {
  const row: OperationRow = operations[id];

  test('every example fits its schema', () => checkExamples(find(id)));

  test('every declared problem is shown under its status', () => {
    const shown = Object.entries(find(id).responses).flatMap(([status, response]) =>
      (response['x-problem-codes'] ?? []).map((code) => `${status} ${code}`),
    );
    const declared = [...row.problems, 'internal' as const].map((code) => `${problems[code].status} ${code}`);
    expect(shown.sort()).toEqual(declared.sort());
  });

  test('scope, rate-limit headers and path params follow the row', () => {
    const operation = find(id);
    expect(operation.security).toEqual(row.scope === null ? [] : [{ bearer: [row.scope] }]);
    const headers = Object.keys(operation.responses[row.status]?.headers ?? {});
    expect(headers.includes('RateLimit-Policy')).toBe(row.scope !== null);
    const inPath = [...row.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
    expect((operation.parameters ?? []).filter((each) => each.in === 'path').map((each) => each.name)).toEqual(inPath);
  });
});

test('a repeated submit is described: 200 beside 201, with the required header', () => {
  const { responses, parameters } = find('createGeneration');
  expect(Object.keys(responses).slice(0, 2)).toEqual(['200', '201']);
  expect(parameters).toContainEqual(expect.objectContaining({ name: 'Idempotency-Key', in: 'header', required: true }));
});

test('an upload is multipart with a binary file', () => {
  const media = find('createUpload').requestBody?.content['multipart/form-data'];
  expect(media?.schema).toMatchObject({ required: ['file'], properties: { file: { format: 'binary' } } });
});

test.each(EVENT_TYPES)('the webhook %s carries three headers and an example that fits', (type) => {
  const { post } = document.webhooks[type]!;
  expect(post?.parameters?.map((each) => each.name)).toEqual([
    'Service-Signature',
    'Service-Event-Id',
    'Service-Event-Type',
  ]);
  const media = post!.requestBody!.content['application/json']!;
  expect(media.example).toMatchObject({ type });
  expect(errorsOf(media.schema, media.example)).toEqual([]);
  for (const { name, schema, example } of post!.parameters!) expect(errorsOf(schema, example), name).toEqual([]);
});

test('no mark of the source is left, and every reference leads somewhere', () => {
  const text = JSON.stringify(document);
  expect(text).not.toContain('x-component"');
  for (const [, pointer] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
    const target = pointer!.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);
    expect(target, pointer).toBeDefined();
  }
});

test('exactly one of quoteToken and maxCoins is asked for', () => {
  const media = find('createGeneration').requestBody!.content['application/json']!;
  const body = { modelId: 'canvas', params: {} };
  expect(errorsOf(media.schema, { ...body, quoteToken: 'q' })).toEqual([]);
  expect(errorsOf(media.schema, { ...body, maxCoins: 1 })).toEqual([]);
  expect(errorsOf(media.schema, body)).not.toEqual([]);
  expect(errorsOf(media.schema, { ...body, quoteToken: 'q', maxCoins: 1 })).not.toEqual([]);
});

test('task types, modalities, workspaces and statuses are named schemas, and descriptors have a discriminator', () => {
  const { schemas } = document.components;
  for (const name of ['TaskType', 'Modality', 'Workspace', 'GenerationStatus']) {
    expect(schemas[name], name).toMatchObject({ type: 'string', enum: expect.any(Array) });
  }
  expect(schemas.Generation?.properties).toMatchObject({
    taskType: { $ref: '#/components/schemas/TaskType' },
    status: { $ref: '#/components/schemas/GenerationStatus' },
  });
  expect(schemas.ParamDescriptor).toMatchObject({
    discriminator: { propertyName: 'kind', mapping: { text: '#/components/schemas/TextParam' } },
  });
});

test('the checker of examples can fail', () => {
  const media = find('createQuote').responses[200]!.content!['application/json']!;
  expect(errorsOf(media.schema, { ...(media.example as object), coins: 0 })).not.toEqual([]);
  expect(errorsOf(media.schema, { ...(media.example as object), expiresAt: 'soon' })).not.toEqual([]);
});

test('Problem code is an enum of every code of the public API; a reserved one is shown nowhere else', () => {
  const { ProblemCode, ...schemas } = document.components.schemas;
  const ofConsole = (Object.keys(problems) as ProblemCode[]).filter((code) => 'console' in problems[code]);
  expect(ofConsole.length).toBeGreaterThan(0);
  expect(ProblemCode?.enum).toEqual(Object.keys(problems).filter((code) => !ofConsole.includes(code as ProblemCode)));
  const shown = JSON.stringify({ ...document, components: { ...document.components, schemas } });
  const reserved = (Object.keys(problems) as ProblemCode[]).filter((code) => 'reserved' in problems[code]);
  expect(reserved.length).toBeGreaterThan(0);
  for (const code of reserved) expect(shown).not.toContain(`"${code}"`);
});

test('the description is the same every time', () => {
  expect(JSON.stringify(buildOpenApi())).toBe(JSON.stringify(document));
});
