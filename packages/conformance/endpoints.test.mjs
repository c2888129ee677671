// Events, "Registration": the choice of events, and the rotation of a secret. Needs the operator program.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import {
  cancel,
  deliveriesOf,
  fillSlots,
  fixture,
  headerOf,
  imageBody,
  quiet,
  receiver,
  run,
  signatureFault,
  sleep,
  submit,
  waitDelivery,
} from './kit.mjs';
import { clockAheadMs, lacks, operate } from './operator.mjs';
import * as schema from './schema.mjs';
import { parseSignature } from './signature.mjs';

const { port } = fixture.webhook;
const at = (path) => `http://127.0.0.1:${port}${path}`;

describe('endpoints', () => {
  const added = [];
  const add = async (path, events) => {
    const endpoint = await operate('addEndpoint', { url: at(path), events });
    assert.match(endpoint.secret, /^whsec_/);
    added.push(endpoint.id);
    return endpoint;
  };
  before(() => quiet());
  after(async () => {
    receiver.answer = () => 204;
    for (const endpoint of added) await operate('removeEndpoint', { endpoint });
  });

  test('endpoints: an endpoint receives only the events that it chose', async (t) => {
    if (lacks(t, 'addEndpoint', 'removeEndpoint')) return;
    const chosen = Object.fromEntries(
      await Promise.all(
        schema.EVENT_TYPES.map(async (type) => {
          const path = `/hook-only-${type}`;
          await add(path, [type]);
          return [type, path];
        }),
      ),
    );
    const ended = {
      'generation.succeeded': await run(imageBody()),
      'generation.failed': await run(imageBody('sim:fail:internal')),
    };
    await fillSlots('sim:ok:3000');
    ended['generation.canceled'] = (await cancel((await submit()).id)).body;
    for (const [type, { id }] of Object.entries(ended))
      assert.equal((await waitDelivery(id, chosen[type])).event.type, type);
    await sleep(1000);
    for (const [type, { id }] of Object.entries(ended)) {
      for (const [other, path] of Object.entries(chosen))
        if (other !== type) assert.equal(deliveriesOf(id, path).length, 0, `${type} was sent to ${path}`);
    }
  });
  test('endpoints: a rotated secret stops working at once', async (t) => {
    if (lacks(t, 'addEndpoint', 'rotateSecret', 'removeEndpoint')) return;
    const path = '/hook-rotated';
    const { id: endpoint, secret: old } = await add(path, ['generation.succeeded']);
    const first = await waitDelivery((await run(imageBody())).id, path);
    const aheadMs = await clockAheadMs();
    const fault = (delivery, key) => signatureFault(delivery, key, delivery.at + aheadMs);
    assert.equal(fault(first, old), null);
    const { secret } = await operate('rotateSecret', { endpoint });
    assert.match(secret, /^whsec_/);
    assert.notEqual(secret, old);
    const second = await waitDelivery((await run(imageBody())).id, path);
    assert.equal(fault(second, secret), null);
    assert.equal(fault(second, old), 'no v1 matches'); // Registration: the old secret stops working at once
    for (const delivery of [first, second]) {
      const { signatures } = parseSignature(headerOf(delivery, 'Signature'));
      assert.ok(signatures.every((value) => /^[0-9a-f]{64}$/.test(value)));
    }
  });
});
