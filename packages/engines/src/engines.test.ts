import { expect, test } from 'vitest';
import { engines } from './engines.ts';

test.each(Object.entries(engines))('the module of %s exports createEngine', async (_name, { module }) => {
  const { createEngine } = (await import(module.href)) as Record<string, unknown>;
  expect(createEngine).toBeTypeOf('function');
});
