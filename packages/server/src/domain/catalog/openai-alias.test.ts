import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OPENAI_USES } from './catalog.ts';
import { loadCatalog } from './load-catalog.ts';
import { chooseOpenaiModel, fitsUse } from './openai-alias.ts';
import { createSampleDir, errorsOf, loadSample } from './testing/sample-files.ts';
import { sampleModel, sampleParam } from './testing/sample-model.ts';

let dir: string;
beforeEach(async () => {
  dir = await createSampleDir();
});
afterEach(() => rm(dir, { recursive: true }));

const write = (text: string) => writeFile(join(dir, 'openai.yaml'), text);

describe('the alias file', () => {
  test('is optional', async () => {
    expect((await loadSample(dir)).aliases).toEqual([]);
  });

  test('names the models that answer', async () => {
    await write('aliases: [{ name: dall-e-9, uses: [generations], modelId: canvas, default: true }]');
    const catalog = await loadSample(dir);
    for (const name of ['dall-e-9', 'canvas', undefined]) {
      const { model } = chooseOpenaiModel(catalog, { use: 'generations', name, at: new Date() });
      expect(model.entry.id).toBe('canvas');
    }
  });

  test('is part of the version', async () => {
    const before = (await loadSample(dir)).version;
    await write('aliases: []');
    expect((await loadSample(dir)).version).not.toBe(before);
  });

  test.each([
    ['aliases: [{ name: a, uses: [generations], modelId: nothing }]', 'there is no model nothing'],
    ['aliases: [{ name: a, uses: [speech], modelId: canvas }]', 'cannot be used for speech'],
    ['aliases: [{ name: a, uses: [talking], modelId: canvas }]', 'uses'],
    ['aliases: [{ name: a, uses: [generations], modelId: canvas, colour: red }]', 'colour'],
    [
      'aliases: [{ name: a, uses: [generations], modelId: canvas, values: { quality: { hd: { fps: 3 } } } }]',
      'fps is not a param',
    ],
  ])('%s is refused', async (text, reason) => {
    await write(text);
    expect(JSON.stringify(await errorsOf({}, dir))).toContain(reason);
  });

  test('with one name or default twice is refused', async () => {
    const row = '{ name: a, uses: [generations], modelId: canvas, default: true }';
    await write(`aliases: [${row}, ${row}]`);
    const errors = JSON.stringify(await errorsOf({}, dir));
    expect(errors).toContain('generations a is used twice');
    expect(errors).toContain('generations has two defaults');
  });
});

test('the day-one catalog answers every use but variations without a model', async () => {
  const catalog = await loadCatalog(resolve(import.meta.dirname, '../../../../../catalog'));
  for (const use of OPENAI_USES.filter((each) => each !== 'variations')) {
    expect(chooseOpenaiModel(catalog, { use, name: undefined, at: new Date() }).alias?.default).toBe(true);
  }
});

test('a model fits if a request can name everything that it requires', () => {
  const prompt = sampleParam('prompt', { kind: 'text', maxLength: 9, required: true });
  const image = sampleParam('image', { kind: 'media', accept: 'image', required: true });
  const mask = sampleParam('mask', { kind: 'media', accept: 'image', required: true });
  const usesOf = (...params: (typeof prompt)[]) =>
    OPENAI_USES.filter((use) => fitsUse(sampleModel({ params }).entry, use));
  expect(usesOf(prompt)).toEqual(['generations']);
  expect(usesOf(prompt, image)).toEqual(['edits']);
  expect(usesOf(image)).toEqual(['variations']);
  expect(usesOf(image, mask)).toEqual([]);
  expect(usesOf(prompt, image, mask)).toEqual(['masked-edits']);
});
