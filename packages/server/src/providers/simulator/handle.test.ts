import { expect, test } from 'vitest';
import { formatHandle, type Handle, parseHandle } from './handle.ts';
import { MAX_DELAY_MS } from './parse-outcome.ts';

test.each<Handle>([
  { startedAtMs: 1_767_225_600_000, delayMs: 5_000 },
  { startedAtMs: 0, delayMs: MAX_DELAY_MS },
  { startedAtMs: 1_767_225_600_000, delayMs: null },
])('%j survives the round trip', (handle) => {
  expect(parseHandle(formatHandle(handle))).toEqual(handle);
});

test.each(['', 'sim1:', 'sim1:12:ok', 'sim1:12:hold:3', 'sim2:12:hold', 'sim1:-1:hold', 'sim1:12:ok:900000000', 'x'])(
  '%j is not a handle',
  (text) => {
    expect(parseHandle(text)).toBeNull();
  },
);
