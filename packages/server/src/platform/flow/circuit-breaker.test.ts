import { expect, test } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';

test('opens after consecutive failures, allows one trial call after the pause, closes when it succeeds', () => {
  let nowMs = 0;
  const circuit = createCircuitBreaker({ failures: 3, pauseMs: 100 }, () => nowMs);
  const fail = () => {
    expect(circuit.enter()).toBe(true);
    circuit.failed();
  };
  fail();
  fail();
  circuit.succeeded();
  fail();
  fail();
  expect(circuit.state()).toBe('closed');
  fail();
  expect([circuit.state(), circuit.allows(), circuit.enter()]).toEqual(['open', false, false]);
  nowMs = 100;
  expect([circuit.state(), circuit.allows(), circuit.enter()]).toEqual(['half-open', true, true]);
  expect([circuit.allows(), circuit.enter()]).toEqual([false, false]);
  circuit.failed();
  expect(circuit.state()).toBe('open');
  nowMs = 250;
  expect(circuit.enter()).toBe(true);
  circuit.left();
  expect(circuit.enter()).toBe(true);
  circuit.succeeded();
  expect([circuit.state(), circuit.enter(), circuit.enter()]).toEqual(['closed', true, true]);
});
