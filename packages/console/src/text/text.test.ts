import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { consoleOperations } from '@atelier/contract/console';
import { deskOperations } from '@atelier/contract/desk';
import { expect, test } from 'vitest';
import { de } from './de.ts';
import { en } from './en.ts';
import { findLanguage } from './language.ts';
import { nameOf } from './name-of.ts';

const CATALOG = resolve(import.meta.dirname, '../../../../catalog/effects');
const effects = globSync('*.yaml', { cwd: CATALOG }).flatMap((file) =>
  [...readFileSync(join(CATALOG, file), 'utf8').matchAll(/^ {2}- id: (\S+)$/gm)].map((match) => match[1]!),
);

test('every effect of the catalog has a name in every language', () => {
  expect(effects.length).toBeGreaterThan(30);
  const keys = effects.map((id) => `effects.${id}.name`);
  expect(keys.filter((key) => !Object.hasOwn(en.names, key))).toEqual([]);
  expect(keys.filter((key) => !Object.hasOwn(de.names, key))).toEqual([]);
});

test('an effect that the dictionary does not know is called by its id', () => {
  expect(nameOf(en, 'effects.neon-rain.name')).toBe('Neon rain');
});

test('every problem of the pages has a text', () => {
  const rows = [...Object.values(consoleOperations), ...Object.values(deskOperations)];
  const codes = new Set(rows.flatMap(({ problems }) => problems as readonly string[]));
  expect(codes.size).toBeGreaterThan(5);
  expect([...codes].filter((code) => !Object.hasOwn(en.problems, code))).toEqual([]);
});

test('the chosen language comes first, then those of the browser', () => {
  expect(findLanguage('en', ['de-AT'])).toBe('en');
  expect(findLanguage(null, ['fr-FR', 'de-AT', 'en'])).toBe('de');
  expect(findLanguage('xx', ['fr'])).toBe('en');
});
