// What takes minutes to weeks: slow receivers, the retry schedule, the life of quotes and links, the turn of a month.
// Needs the operator action `advanceClock`. The clock of the service stays ahead afterwards.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  account,
  call,
  changesNothing,
  deliveries,
  deliveriesOf,
  expectOk,
  expectProblem,
  fixture,
  headerOf,
  IMAGE,
  imageBody,
  postGeneration,
  quiet,
  quote,
  receiver,
  run,
  signatureFault,
  sleep,
  submit,
  until,
  upload,
  waitDelivery,
  waitTerminal,
} from './kit.mjs';
import { accepted } from './media.mjs';
import { decided, decision } from './mode.mjs';
import { clockAheadMs, lacks, operate } from './operator.mjs';
import * as schema from './schema.mjs';

const SCHEDULE_SECONDS = [30, 120, 600, 1800, 3600, 10_800, 21_600, 43_200]; // Delivery and retries 2
const ANSWER_SECONDS = 10;
/** A delivery may be this early or late: clocks are read at intervals, and jobs are started one after the other. */
const EARLY_SECONDS = 1;
const LATE_SECONDS = 20;
/** The clock stops this long before a retry is due, so that one that comes too early is seen. */
const MARGIN_MS = 4_000;
const DAY_SECONDS = 86_400;

const json = { modelId: IMAGE, params: { prompt: 'sim:ok' } };
const FAILS = '/hook-fails';
const SLOW = '/hook-slow';
const PATIENT = '/hook-patient';
const canRetry = (t) => lacks(t, 'advanceClock', 'addEndpoint', 'removeEndpoint');

describe('clock', () => {
  let aheadMs = 0;
  let ended; // the generation that all endpoints are told about
  const added = {};
  const now = () => Date.now() + aheadMs;
  const advance = async (seconds) => {
    const seen = deliveries.length;
    await operate('advanceClock', { seconds });
    aheadMs = await clockAheadMs();
    for (const delivery of deliveries.slice(seen)) delivery.toldMs = delivery.at + aheadMs;
  };
  /** Brings the clock of the service to shortly before this time, in its own milliseconds. */
  const approach = async (timeMs) => {
    const seconds = Math.floor((timeMs - MARGIN_MS - now()) / 1000);
    if (seconds > 0) await advance(seconds);
  };
  const gapSeconds = (one, two) => (two.toldMs - one.toldMs) / 1000;
  const expectGap = (one, two, seconds) => {
    const gap = gapSeconds(one, two);
    assert.ok(gap >= seconds - EARLY_SECONDS && gap <= seconds + LATE_SECONDS, `${gap} s instead of ${seconds} s`);
  };

  before(async () => {
    if (!['advanceClock', 'addEndpoint'].every((action) => fixture.operator?.actions.includes(action))) return;
    await quiet();
    aheadMs = await clockAheadMs();
    receiver.answer = (delivery) => {
      delivery.toldMs = delivery.at + aheadMs;
      const isFirst = deliveriesOf(delivery.event?.data?.generation?.id, delivery.path).length === 0;
      if (delivery.path === FAILS) return 500;
      if (delivery.path === SLOW && isFirst) return { status: 204, afterMs: 1000 * (ANSWER_SECONDS + 2) };
      if (delivery.path === PATIENT) return { status: 204, afterMs: 1000 * (ANSWER_SECONDS - 2) };
      return 204;
    };
    for (const path of [FAILS, SLOW, PATIENT]) {
      const url = `http://127.0.0.1:${fixture.webhook.port}${path}`;
      added[path] = await operate('addEndpoint', { url, events: ['generation.succeeded'] });
    }
    ended = await run(imageBody());
  });
  after(async () => {
    receiver.answer = () => 204;
    for (const { id } of Object.values(added)) await operate('removeEndpoint', { endpoint: id });
  });

  test('clock: a receiver that answers after more than 10 s is sent the event again 30 s later', async (t) => {
    if (canRetry(t)) return;
    const first = await waitDelivery(ended.id, SLOW);
    await sleep(Math.max(0, first.at + 1000 * (ANSWER_SECONDS + 1) - Date.now()));
    const dueSeconds = ANSWER_SECONDS + SCHEDULE_SECONDS[0];
    await approach(first.toldMs + 1000 * dueSeconds);
    assert.equal(deliveriesOf(ended.id, SLOW).length, 1, 'not before 30 s after the 10 s');
    const second = await waitDelivery(ended.id, SLOW, { count: 2, timeoutMs: 30_000 });
    expectGap(first, second, dueSeconds);
    assert.equal(headerOf(second, 'Event-Id'), headerOf(first, 'Event-Id'));
  });
  test('clock: a refused delivery is sent again after 30 s, 2 min, 10 min, 30 min, 1 h, 3 h, 6 h and 12 h, 9 times in total', {
    timeout: 300_000,
  }, async (t) => {
    if (canRetry(t)) return;
    for (const [n, seconds] of SCHEDULE_SECONDS.entries()) {
      const last = await waitDelivery(ended.id, FAILS, { count: n + 1 });
      await approach(last.toldMs + 1000 * seconds);
      // The first retry may have come while the slow receiver was waited for.
      if (n > 0) assert.equal(deliveriesOf(ended.id, FAILS).length, n + 1, `no retry before ${seconds} s`);
      const next = await waitDelivery(ended.id, FAILS, { count: n + 2, timeoutMs: 30_000 });
      expectGap(last, next, seconds);
      schema.assertValid(schema.webhookEvent, next.event, 'WebhookEvent');
      assert.equal(headerOf(next, 'Event-Id'), headerOf(last, 'Event-Id'));
      assert.equal(signatureFault(next, added[FAILS].secret, next.toldMs), null);
      decision(() => assert.notEqual(headerOf(next, 'Signature'), headerOf(last, 'Signature'))); // a fresh t
      for (const { url } of next.event.data.generation.outputs)
        assert.equal((await call(`GET ${url}`)).status, 200, 'fresh download links');
    }
    await advance(DAY_SECONDS);
    await sleep(2000);
    assert.equal(
      deliveriesOf(ended.id, FAILS).length,
      1 + SCHEDULE_SECONDS.length,
      'then the delivery is marked failed',
    );
  });
  test('clock: a receiver that answers within 10 s is not sent the event again', (t) => {
    if (canRetry(t)) return;
    assert.equal(deliveriesOf(ended.id, PATIENT).length, 1);
    assert.equal(deliveriesOf(ended.id, SLOW).length, 2);
  });

  test('clock: a quote token reserves its coins for 10 minutes, then only at the same price', async (t) => {
    if (lacks(t, 'advanceClock', 'setPrice')) return;
    const prices = async () => (await quote(json)).coins;
    const [valid, expired] = [await quote(json), await quote(json)];
    const withToken = ({ quoteToken }) => ({ ...json, quoteToken });
    await advance(570);
    await operate('setPrice', { model: IMAGE, coins: valid.coins + 1 });
    try {
      await until('the price has changed', async () => (await prices()) === valid.coins + 1);
      // Operation 4: charge exactly the quoted coins
      const made = await submit(withToken(valid));
      assert.equal(made.coinsQuoted, valid.coins);
      await waitTerminal(made.id);
      await advance(60);
      await changesNothing(async () => expectProblem(await postGeneration(withToken(expired)), 409, 'price_changed')); // Operation 3
    } finally {
      await operate('setPrice', { model: IMAGE, coins: null });
    }
    await until('the price is the old one', async () => (await prices()) === valid.coins);
    assert.equal((await submit(withToken(expired))).coinsQuoted, expired.coins); // accepted only at the same price
  });

  test('clock: a signed link works for about one hour, is then refused, and reading again gives a fresh one', async (t) => {
    if (lacks(t, 'advanceClock')) return;
    const read = async (id) => expectOk(await call(`GET /v1/assets/${id}`, { key: 'full' }), 200, schema.asset);
    const assets = [await upload(accepted[0]), (await run(imageBody())).outputs[0]];
    const links = (await Promise.all(assets.map(({ id }) => read(id)))).flatMap((each) => [
      each.url,
      each.thumbnailUrl,
    ]);
    await advance(50 * 60);
    for (const link of links) assert.equal((await call(`GET ${link}`)).status, 200, link);
    await advance(25 * 60);
    for (const link of links) {
      const answer = await call(`GET ${link}`);
      assert.ok(answer.status >= 400 && answer.status < 500, `${link} answered ${answer.status}`);
      decision(() => expectProblem(answer, 403, 'link_expired')); // links refused by the file host
    }
    for (const { id } of assets) assert.equal((await call(`GET ${(await read(id)).url}`)).status, 200);
  });

  // Decisions, monthly cap: the UTC month at submit
  decided('clock: a new month starts with no coins spent and the whole cap', async (t) => {
    if (lacks(t, 'advanceClock')) return;
    const key = 'capped';
    const { coins } = await quote(json, key);
    const { monthlySpendCapCoins: cap, spentThisMonthCoins: spent } = (await account(key)).key;
    assert.ok(cap - spent >= coins, 'no room left under the cap in this month: the sandbox needs a fresh capped key');
    await run(imageBody(), { key });
    assert.equal((await account(key)).key.spentThisMonthCoins, spent + coins);
    const today = new Date(now());
    const nextMonth = Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + 1, 1);
    await advance(Math.ceil((nextMonth - now()) / 1000) + 2);
    assert.equal((await account(key)).key.spentThisMonthCoins, 0);
    const fits = Math.floor(cap / coins);
    for (let n = 0; n < fits; n += 1) await submit(imageBody(), { key });
    expectProblem(await postGeneration(imageBody(), { key }), 402, 'spend_cap_exceeded');
    assert.equal((await account(key)).key.spentThisMonthCoins, fits * coins);
    await quiet();
  });
});
