// Events: what the service sends to client endpoints.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  call,
  cancel,
  deliveriesOf,
  expectOk,
  fillSlots,
  fixture,
  getGeneration,
  headerOf,
  imageBody,
  quiet,
  receiver,
  run,
  signatureFault,
  sleep,
  steady,
  submit,
  waitDelivery,
  waitTerminal,
} from './kit.mjs';
import { decision } from './mode.mjs';
import * as schema from './schema.mjs';

const { path, secret, path2, secret2, keyName2 } = fixture.webhook;
const key2 = keyName2.split(' ')[0];

describe('webhooks', () => {
  let retried; // a generation whose first delivery is answered with 500
  const ended = {}; // one generation per terminal state
  before(async () => {
    await quiet();
    const refusedOnce = new Set();
    receiver.answer = ({ path: to, event }) => {
      const id = event?.data?.generation?.id;
      const refuse = to === path && event?.data?.generation?.projectId === 'kit-refuse-once' && !refusedOnce.has(id);
      if (refuse) refusedOnce.add(id);
      return refuse ? 500 : 204;
    };
    retried = await submit(imageBody('sim:ok', { projectId: 'kit-refuse-once' }));
    ended.succeeded = await run(imageBody('sim:ok', {}, { num_outputs: 2 }));
    ended.failed = await run(imageBody('sim:fail:internal'));
    await fillSlots('sim:ok:4000');
    const waiting = await submit();
    ended.canceled = expectOk(await cancel(waiting.id), 200, schema.generation);
  });
  after(() => {
    receiver.answer = () => 204;
  });

  for (const state of ['succeeded', 'failed', 'canceled']) {
    test(`webhooks: generation.${state} is sent as a POST of JSON`, async () => {
      const delivery = await waitDelivery(ended[state].id, path);
      assert.equal(delivery.method, 'POST');
      assert.match(delivery.headers['content-type'], /^application\/json\b/i);
    });
    test(`webhooks: generation.${state} has a body that conforms and shows the state`, async () => {
      const { event } = await waitDelivery(ended[state].id, path);
      schema.assertValid(schema.webhookEvent, event, 'WebhookEvent');
      assert.equal(event.type, `generation.${state}`);
      assert.equal(event.data.generation.status, state);
    });
    test(`webhooks: generation.${state} repeats id and type in the headers`, async () => {
      const delivery = await waitDelivery(ended[state].id, path);
      assert.equal(headerOf(delivery, 'Event-Id'), delivery.event.id);
      assert.equal(headerOf(delivery, 'Event-Type'), delivery.event.type);
    });
    test(`webhooks: generation.${state} is signed over the raw bytes with the whole secret`, async () => {
      const delivery = await waitDelivery(ended[state].id, path);
      assert.match(secret, /^whsec_/);
      assert.equal(signatureFault(delivery, secret), null); // Events, "Signature verification"
    });
    test(`webhooks: generation.${state} contains the Generation as returned by a read`, async () => {
      const { event } = await waitDelivery(ended[state].id, path);
      assert.deepEqual(steady(event.data.generation), steady(await getGeneration(ended[state].id)));
    });
    test(`webhooks: generation.${state} is one event`, async () => {
      await waitDelivery(ended[state].id, path);
      await sleep(500);
      assert.equal(new Set(deliveriesOf(ended[state].id, path).map((each) => each.event.id)).size, 1);
    });
  }
  test('webhooks: a signature does not verify with another secret, a changed body or an old clock', async () => {
    const delivery = await waitDelivery(ended.succeeded.id, path);
    assert.equal(signatureFault(delivery, secret2), 'no v1 matches');
    assert.equal(
      signatureFault(delivery, secret.slice(6)),
      'no v1 matches',
      'the whole secret is the key, prefix included',
    );
    assert.equal(
      signatureFault({ ...delivery, raw: Buffer.concat([delivery.raw, Buffer.from(' ')]) }, secret),
      'no v1 matches',
    );
    assert.match(signatureFault(delivery, secret, delivery.at + 400_000), /300 seconds/);
  });
  test('webhooks: three generations are three event ids', async () => {
    const ids = await Promise.all(Object.values(ended).map(async ({ id }) => (await waitDelivery(id, path)).event.id));
    assert.equal(new Set(ids).size, 3);
  });
  test('webhooks: createdAt is not before the end of the generation', async () => {
    const { event } = await waitDelivery(ended.succeeded.id, path);
    assert.ok(Date.parse(event.createdAt) >= Date.parse(event.data.generation.completedAt) - 1000);
  });
  test('webhooks: the links of the body can be downloaded without a key', async () => {
    const { event } = await waitDelivery(ended.succeeded.id, path);
    assert.equal(event.data.generation.outputs.length, 2);
    for (const { url, thumbnailUrl } of event.data.generation.outputs) {
      for (const link of [url, thumbnailUrl]) assert.equal((await call(`GET ${link}`)).status, 200, link); // with fresh download links
    }
  });
  test('webhooks: no delivery carries an API key', async () => {
    const delivery = await waitDelivery(ended.succeeded.id, path);
    const text = `${JSON.stringify(delivery.headers)}${delivery.raw}`;
    for (const key of Object.values(fixture.keys)) assert.ok(!text.includes(key));
    assert.equal(delivery.headers.authorization, undefined); // Authentication 6: by signature, not by bearer key
  });

  // Registration: "optionally one API key whose generations the endpoint receives"
  test('webhooks: an endpoint with a key receives the generations of that key, signed with its own secret', async () => {
    const made = await run(imageBody(), { key: key2 });
    const delivery = await waitDelivery(made.id, path2);
    schema.assertValid(schema.webhookEvent, delivery.event, 'WebhookEvent');
    assert.equal(signatureFault(delivery, secret2), null);
    assert.equal(
      (await waitDelivery(made.id, path)).event.type,
      'generation.succeeded',
      'the endpoint without a key receives it too',
    );
  });
  test('webhooks: an endpoint with a key receives nothing of other keys', async () => {
    const made = await run(imageBody(), { key: 'full' });
    await waitDelivery(made.id, path);
    await sleep(1500);
    for (const { id } of [made, ...Object.values(ended)]) assert.equal(deliveriesOf(id, path2).length, 0);
  });
  test("webhooks: another account's generation is not sent", async () => {
    const made = await submit(imageBody(), { key: 'other' });
    await cancel(made.id, 'other');
    await sleep(1500);
    assert.deepEqual([deliveriesOf(made.id, path).length, deliveriesOf(made.id, path2).length], [0, 0]);
  });
  test('webhooks: a refused delivery is sent again after 30 s with the same id and a new signature', {
    timeout: 120_000,
  }, async () => {
    await waitTerminal(retried.id);
    const first = await waitDelivery(retried.id, path);
    assert.equal(first.answered, 500);
    const second = await waitDelivery(retried.id, path, {
      count: 2,
      timeoutMs: Math.max(1000, first.at + 45_000 - Date.now()),
    });
    const seconds = (second.at - first.at) / 1000;
    assert.ok(seconds >= 29 && seconds <= 45, `after ${seconds} s`); // Delivery and retries 2
    assert.equal(second.event.id, first.event.id);
    assert.equal(headerOf(second, 'Event-Id'), headerOf(first, 'Event-Id'));
    assert.equal(signatureFault(second, secret), null);
    const t = (delivery) => Number(/(?:^|,)\s*t=(\d+)/.exec(headerOf(delivery, 'Signature'))[1]);
    decision(() => assert.ok(t(second) - t(first) >= 25, 'a fresh t')); // webhook body on a retry
    schema.assertValid(schema.webhookEvent, second.event, 'WebhookEvent');
    for (const { url } of second.event.data.generation.outputs) assert.equal((await call(`GET ${url}`)).status, 200);
  });
  test('webhooks: a delivery answered with 2xx is not sent again', async () => {
    // the first retry step has passed by now; a duplicate right after the first would be allowed (Delivery and retries 3)
    const all = deliveriesOf(ended.succeeded.id, path);
    assert.ok(all.every((each) => each.at - all[0].at < 20_000));
    await quiet();
  });
});
