import { expect, test } from 'vitest';
import { operations } from '../operations.ts';
import { OPENAI_PREFIX, type OpenaiOperationRow, openaiOperations } from './operations.ts';

const rows = Object.entries(openaiOperations) as Array<[string, OpenaiOperationRow]>;

test('the table lists every route of the OpenAI-compatible API', () => {
  expect(rows.map(([, { method, path }]) => `${method} ${OPENAI_PREFIX}${path}`)).toEqual([
    'POST /openai/v1/images/generations',
    'POST /openai/v1/images/edits',
    'POST /openai/v1/images/variations',
    'POST /openai/v1/audio/speech',
    'POST /openai/v1/audio/transcriptions',
    'POST /openai/v1/videos',
    'GET /openai/v1/videos',
    'GET /openai/v1/videos/{id}',
    'GET /openai/v1/videos/{id}/content',
    'GET /openai/v1/models',
    'GET /openai/v1/models/{id}',
  ]);
});

test('names differ from those of the API, since logs and metrics show both', () => {
  for (const [id] of rows) expect(Object.keys(operations)).not.toContain(id);
});

test.each(rows)('%s needs the scopes of what it does', (_id, row) => {
  if (row.spends === true) expect(row.scopes).toEqual(expect.arrayContaining(['generate', 'read']));
  expect(row.scopes.includes('uploads')).toBe(row.files !== undefined);
  expect(row.spends === true).toBe(row.method === 'POST');
});
