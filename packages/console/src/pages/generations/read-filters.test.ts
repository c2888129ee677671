import { expect, test } from 'vitest';
import { readFilters } from './read-filters.ts';

test('keeps filters that exist and drops the rest of an address', () => {
  const search = { status: 'failed', modality: 'smell', workspace: 'tools', modelId: 'aurora', active: 'yes', x: 1 };
  expect(readFilters(search)).toEqual({ status: 'failed', workspace: 'tools', modelId: 'aurora' });
});
