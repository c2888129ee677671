// What the kit asks of whoever operates the service: the program that the fixture names under `operator` (README.md, "Operator").
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after } from 'node:test';
import { fixture, IMAGE, quote } from './kit.mjs';
import { skip } from './mode.mjs';

const QUOTE_LIFE_MS = 10 * 60_000;

/** Skips the test and returns true if the operator program cannot do one of these. */
export function lacks(t, ...actions) {
  const missing = actions.filter((action) => !fixture.operator?.actions.includes(action));
  if (missing.length === 0) return false;
  skip(t, `the fixture has no operator action ${missing.join(', ')}`);
  return true;
}

let program;
function start() {
  const [file, ...args] = fixture.operator.command;
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return { child, lines };
}
after(() => program?.child.stdin.end());

let turn = Promise.resolve();
/** Asks the operator program for an action, and returns its result. */
export function operate(action, values = {}) {
  const answer = turn.then(async () => {
    program ??= start();
    program.child.stdin.write(`${JSON.stringify({ action, ...values })}\n`);
    const { value, done } = await program.lines.next();
    assert.ok(!done, `the operator program ended during ${action}`);
    const { result, error } = JSON.parse(value);
    assert.equal(error, undefined, `${action}: ${error}`);
    return result;
  });
  turn = answer.catch(() => {});
  return answer;
}

/** Does the work between two actions; the second follows in any case. */
export async function between(action, { first, last }, work) {
  await operate(action, first);
  try {
    return await work();
  } finally {
    await operate(action, last);
  }
}

/** Milliseconds by which the clock of the service is ahead of this machine's, as a quote shows it. */
export async function clockAheadMs() {
  const sentMs = Date.now();
  const { expiresAt } = await quote({ modelId: IMAGE, params: { prompt: 'sim:ok' } });
  return Date.parse(expiresAt) - QUOTE_LIFE_MS - (sentMs + Date.now()) / 2;
}
