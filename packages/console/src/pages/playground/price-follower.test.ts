import type { QuoteResponse } from '@atelier/contract';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPriceFollower, type PriceRequest, type PriceState, priceOf } from './price-follower.ts';

const DELAY_MS = 300;
const form = (num_outputs: number): PriceRequest => ({ modelId: 'm', params: { num_outputs } });
const quoteOf = (coins: number) => ({ modelId: 'm', coins }) as QuoteResponse;

interface Asked {
  readonly request: PriceRequest;
  answer(coins: number): void;
  fail(error: unknown): void;
}

let asked: Asked[];
let states: PriceState[];
const follower = () =>
  createPriceFollower({
    ask: (request) =>
      new Promise((resolve, reject) => {
        asked.push({ request, answer: (coins) => resolve(quoteOf(coins)), fail: reject });
      }),
    onState: (state) => states.push(state),
    delayMs: DELAY_MS,
  });
const last = () => states.at(-1)!;

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  states = [];
});
afterEach(() => {
  vi.useRealTimers();
});

test('the first form is priced at once, later ones after a pause, and only the last of them', async () => {
  const price = follower();
  price.follow(form(1));
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toHaveLength(1);
  asked[0]!.answer(3);
  await vi.advanceTimersByTimeAsync(0);
  expect(priceOf(last(), form(1))?.coins).toBe(3);
  for (const n of [2, 3, 4]) {
    price.follow(form(n));
    await vi.advanceTimersByTimeAsync(DELAY_MS - 1);
  }
  expect(asked).toHaveLength(1);
  expect(last()).toMatchObject({ kind: 'asking', request: form(4), last: { coins: 3 } });
  await vi.advanceTimersByTimeAsync(1);
  expect(asked.map(({ request }) => request)).toEqual([form(1), form(4)]);
});

test('a late answer never replaces the price of a newer form', async () => {
  const price = follower();
  price.follow(form(1));
  await vi.advanceTimersByTimeAsync(0);
  price.follow(form(2));
  await vi.advanceTimersByTimeAsync(DELAY_MS);
  asked[1]!.answer(6);
  await vi.advanceTimersByTimeAsync(0);
  asked[0]!.answer(3);
  await vi.advanceTimersByTimeAsync(0);
  expect(last()).toEqual({ kind: 'priced', request: form(2), quote: quoteOf(6) });
});

test('an answer that arrives during the pause does not count for the newer form', async () => {
  const price = follower();
  price.follow(form(1));
  await vi.advanceTimersByTimeAsync(0);
  price.follow(form(2));
  asked[0]!.answer(3);
  await vi.advanceTimersByTimeAsync(0);
  expect(last().kind).toBe('asking');
  expect(priceOf(last(), form(2))).toBeNull();
});

test('a late refusal does not hide a newer price', async () => {
  const price = follower();
  price.follow(form(1));
  await vi.advanceTimersByTimeAsync(0);
  price.follow(form(2));
  await vi.advanceTimersByTimeAsync(DELAY_MS);
  asked[1]!.answer(6);
  asked[0]!.fail(new Error('late'));
  await vi.advanceTimersByTimeAsync(0);
  expect(last().kind).toBe('priced');
});

test('going back to an earlier form asks again, and the price of another form is never its price', async () => {
  const price = follower();
  price.follow(form(1));
  await vi.advanceTimersByTimeAsync(0);
  asked[0]!.answer(3);
  await vi.advanceTimersByTimeAsync(0);
  expect(priceOf(last(), form(2))).toBeNull();
  price.follow(form(2));
  price.follow(form(1));
  await vi.advanceTimersByTimeAsync(DELAY_MS);
  expect(asked.map(({ request }) => request)).toEqual([form(1), form(1)]);
});

test('the same form asks nothing, a refresh asks at once, and after the end nothing is reported', async () => {
  const price = follower();
  price.follow(form(1));
  await vi.advanceTimersByTimeAsync(0);
  price.follow({ modelId: 'm', params: { num_outputs: 1 } });
  await vi.advanceTimersByTimeAsync(DELAY_MS);
  expect(asked).toHaveLength(1);
  asked[0]!.fail(new Error('unavailable'));
  await vi.advanceTimersByTimeAsync(0);
  expect(last().kind).toBe('refused');
  price.refresh();
  await vi.advanceTimersByTimeAsync(0);
  expect(asked).toHaveLength(2);
  const before = states.length;
  price.close();
  asked[1]!.answer(3);
  await vi.advanceTimersByTimeAsync(DELAY_MS);
  expect(states).toHaveLength(before);
});
