import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FAILURE_CODES } from '@atelier/contract';
import { expect, test } from 'vitest';
import { MAX_DELAY_MS, MAX_PARTIAL_OUTPUTS, type Outcome, parseOutcome } from './parse-outcome.ts';

const quick: Outcome = { kind: 'ok', delayMs: 0 };

test.each<[string, Outcome]>([
  ['sim:ok', quick],
  ['  sim:ok  ', quick],
  ['sim:ok:0', quick],
  ['sim:ok:250', { kind: 'ok', delayMs: 250 }],
  [`sim:ok:${MAX_DELAY_MS + 1}`, { kind: 'ok', delayMs: MAX_DELAY_MS }],
  [`sim:ok:${'9'.repeat(400)}`, { kind: 'ok', delayMs: MAX_DELAY_MS }],
  ['sim:partial:0', { kind: 'partial', outputs: 0 }],
  ['sim:partial:3', { kind: 'partial', outputs: 3 }],
  ['sim:partial:99999', { kind: 'partial', outputs: MAX_PARTIAL_OUTPUTS }],
  ['sim:hold', { kind: 'hold' }],
  ['\nsim:hold\n', { kind: 'hold' }],
  ...FAILURE_CODES.map((code): [string, Outcome] => [`sim:fail:${code}`, { kind: 'fail', code }]),
])('%j selects %j', (prompt, outcome) => {
  expect(parseOutcome(prompt)).toEqual(outcome);
});

test.each([
  '',
  'a red fox',
  'sim',
  'sim:',
  'sim:fail',
  'sim:fail:',
  'sim:fail:constructor',
  'sim:fail:250',
  'sim:partial',
  'sim:partial:-1',
  'sim:partial:1.5',
  'sim:partial:internal',
  'sim:ok:',
  'sim:ok:-5',
  'sim:ok:1e3',
  'sim:ok:timeout',
  'sim:hold:5',
  'sim:hold on',
  'please sim:hold',
  'SIM:HOLD',
  'sim:fail:internal:now',
])('%j is an ordinary prompt', (prompt) => {
  expect(parseOutcome(prompt)).toEqual(quick);
});

test('the page about test mode documents every sim: outcome', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../../../docs/test-mode.md'), 'utf8');
  const outcomes = [...page.matchAll(/^\| `(sim:[^`]+)` /gm)].map(([, prompt]) => parseOutcome(prompt!));
  expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['ok', 'partial', 'fail', 'hold']));
  expect(outcomes.flatMap((each) => (each.kind === 'fail' ? [each.code] : []))).toEqual([...FAILURE_CODES]);
  expect(outcomes.some((each) => each.kind === 'ok' && each.delayMs > 0)).toBe(true);
});
