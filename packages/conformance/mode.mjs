// What a run checks: the specification alone (`--spec-only`), or also the project's decisions where it leaves a choice.
import assert from 'node:assert/strict';
import { test } from 'node:test';

export const SPEC_ONLY = process.env.CONFORMANCE_SPEC_ONLY === 'true';
const NO_SKIPS = process.env.CONFORMANCE_NO_SKIPS === 'true';

/** A test of a decision. A run with --spec-only does not contain it. */
export const decided = SPEC_ONLY ? () => {} : test;

/** A check of a decision inside a test of the specification. */
export function decision(check) {
  if (!SPEC_ONLY) check();
}

/** What the project decided, or what the specification allows. */
export const either = (choice, allowed) => (SPEC_ONLY ? allowed : choice);

/** Skips a test that the fixture or the catalog gives nothing for. With --no-skips that is a failure. */
export function skip(t, reason) {
  assert.ok(!NO_SKIPS, `cannot be tested here: ${reason}`);
  t.skip(reason);
}
