import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeliveryGate, type Entry, MAX_IN_FLIGHT } from './delivery-gate.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const gateAt = () => createDeliveryGate(() => Date.now());
const placeOf = (entry: Entry) => {
  if (!('place' in entry)) throw new Error(`sent away for ${entry.comeBackMs} ms`);
  return entry.place;
};
const delayOf = (entry: Entry) => {
  if (!('comeBackMs' in entry)) throw new Error('let in');
  return entry.comeBackMs;
};
const fill = (gate: ReturnType<typeof gateAt>, endpoint = 'a') =>
  Promise.all(Array.from({ length: MAX_IN_FLIGHT }, () => gate.enter(endpoint)));

test('five enter immediately; the next ones wait, in order', async () => {
  const gate = gateAt();
  const inside = await fill(gate);
  const order: string[] = [];
  const sixth = gate.enter('a').then((entry) => {
    order.push('sixth');
    return entry;
  });
  const seventh = gate.enter('a').then((entry) => {
    order.push('seventh');
    return entry;
  });
  await vi.advanceTimersByTimeAsync(10);
  placeOf(inside[0]!).leave();
  placeOf(inside[1]!).leave();
  placeOf(await sixth).leave();
  placeOf(await seventh).leave();
  expect(order).toEqual(['sixth', 'seventh']);
});

test('one endpoint does not delay another', async () => {
  const gate = gateAt();
  await fill(gate, 'a');
  placeOf(await gate.enter('b'));
});

test('a delivery that waits half a second is deferred by at least a second', async () => {
  const gate = gateAt();
  await fill(gate);
  const entry = gate.enter('a');
  await vi.advanceTimersByTimeAsync(500);
  expect(delayOf(await entry)).toBeGreaterThanOrEqual(1_000);
});

test('deliveries to a slow endpoint are deferred without waiting, at the rate at which it responds', async () => {
  const gate = gateAt();
  const first = await fill(gate);
  await vi.advanceTimersByTimeAsync(10_000);
  for (const entry of first) placeOf(entry).leave();
  await fill(gate);
  const delays: number[] = [];
  for (let n = 0; n < 10; n += 1) delays.push(delayOf(await gate.enter('a')));
  expect(delays.map((delay) => Math.round(delay / 1000))).toEqual([10, 12, 14, 16, 18, 20, 22, 24, 26, 28]);
  for (let n = 0; n < 50; n += 1) expect(delayOf(await gate.enter('a'))).toBeLessThanOrEqual(30_000);
});

test('a long request extends the delay before it has ended', async () => {
  const gate = gateAt();
  await fill(gate);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(delayOf(await gate.enter('a'))).toBe(4_000);
});

test('a slot is released only once, even if leave is called twice', async () => {
  const gate = gateAt();
  const inside = await fill(gate);
  const { leave } = placeOf(inside[0]!);
  leave();
  leave();
  placeOf(await gate.enter('a'));
  const entry = gate.enter('a');
  await vi.advanceTimersByTimeAsync(500);
  delayOf(await entry);
});
