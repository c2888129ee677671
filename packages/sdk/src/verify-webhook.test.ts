import { createHmac } from 'node:crypto';
import { expect, test } from 'vitest';
import { createNextReceiver, unwrap, verify } from './webhooks.ts';

/** The vectors of docs/webhooks.md. */
const SECRET = 'whsec_dGVzdC12ZWN0b3Itc2VjcmV0LW5vdC1mb3ItdXNlLTAx';
const TIME = 1_767_609_062;
const BODY =
  '{"id":"0198a1c3-6127-7f3b-9c48-e05d7b2a64f1","type":"generation.canceled","createdAt":"2026-01-05T09:30:44.000Z"}';
const VECTORS = [
  [BODY, '9e167314b2f999593ddeee120336bde8b5873059713e1efd5e3f380c97a17f12'],
  ['', '72d23f0aacd42173b9180649c482a730bb1c532a2f987cec82b50afbbf231e9d'],
  ['{"note":"café"}', '5858ce33934d105b08cfff307c4b033b62a838f113eb39d90f01bad5ef939747'],
] as const;
const V1 = VECTORS[0][1];
const options = { secret: SECRET, nowSeconds: TIME };

test.each(VECTORS)('the test vector of %j', async (body, v1) => {
  const header = `t=${TIME},v1=${v1}`;
  const bytes = new TextEncoder().encode(body);
  for (const form of [body, bytes, bytes.buffer as ArrayBuffer, Buffer.from(body)]) await verify(form, header, options);
});

test('headers of the web and of Node, in any case', async () => {
  const value = `t=${TIME},v1=${V1}`;
  for (const headers of [
    new Headers({ 'Service-Signature': value }),
    { 'service-signature': value },
    { 'SERVICE-SIGNATURE': [value] },
  ]) {
    expect(await unwrap(BODY, headers, options)).toMatchObject({ type: 'generation.canceled' });
  }
  await verify(BODY, { 'acme-signature': value }, { ...options, header: 'Acme-Signature' });
});

test('one of several signatures, or of several secrets, is enough', async () => {
  await verify(BODY, `t=${TIME}, v1=${'0'.repeat(64)}, v1=${V1}`, options);
  await verify(BODY, `t=${TIME},v1=${V1}`, { ...options, secret: ['whsec_other', SECRET] });
});

test.each([
  ['another body', `${BODY}\n`, `t=${TIME},v1=${V1}`, {}],
  ['another secret', BODY, `t=${TIME},v1=${V1}`, { secret: SECRET.replace('whsec_', '') }],
  ['another time', BODY, `t=${TIME + 1},v1=${V1}`, {}],
  ['an old signature', BODY, `t=${TIME},v1=${V1}`, { nowSeconds: TIME + 301 }],
  ['a signature of the future', BODY, `t=${TIME},v1=${V1}`, { nowSeconds: TIME - 301 }],
  ['capital letters', BODY, `t=${TIME},v1=${V1.toUpperCase()}`, {}],
  ['no time', BODY, `v1=${V1}`, {}],
  ['a time of 13 digits', BODY, `t=0000${TIME},v1=${V1}`, {}],
  ['no signature', BODY, `t=${TIME}`, {}],
  ['no header', BODY, '', {}],
])('%s is refused', async (_name, body, header, more) => {
  await expect(verify(body, header, { ...options, ...more })).rejects.toMatchObject({
    name: 'WebhookVerificationError',
  });
});

test('an event about a budget', async () => {
  const budget = { id: 'b', projectId: 'spring', month: '2026-01', coins: 100, spentCoins: 81, percent: 80 };
  const body = JSON.stringify({
    id: 'e',
    type: 'budget.reached',
    createdAt: '2026-01-05T09:30:44.000Z',
    data: { budget },
  });
  const v1 = createHmac('sha256', SECRET).update(`${TIME}.${body}`).digest('hex');
  const event = await unwrap(body, `t=${TIME},v1=${v1}`, options);
  if (event.type !== 'budget.reached') throw new Error(`The type is ${event.type}`);
  expect(event.data.budget).toEqual(budget);
});

test('a parsed body and a missing secret are mistakes of the caller', async () => {
  await expect(verify({} as never, `t=${TIME},v1=${V1}`, options)).rejects.toThrow('raw request body');
  await expect(verify(BODY, `t=${TIME},v1=${V1}`, { secret: '' })).rejects.toThrow('secret is missing');
});

test('a receiver refuses large bodies, invalid JSON and forgeries, and reports its own failures', async () => {
  const sign = (body: string) => {
    const t = Math.floor(Date.now() / 1000);
    return { 'service-signature': `t=${t},v1=${createHmac('sha256', SECRET).update(`${t}.${body}`).digest('hex')}` };
  };
  const errors: unknown[] = [];
  const receive = createNextReceiver({
    secret: SECRET,
    maxBytes: 100,
    onEvent: ({ id }) => {
      if (id === 'bad') throw new Error('database is down');
    },
    onError: (error) => errors.push(error),
  });
  const post = async (body: string, headers = sign(body)) =>
    (await receive(new Request('http://receiver/', { method: 'POST', body, headers }))).status;
  expect(await post('{"id":"good"}')).toBe(204);
  expect(await post('{"id":"bad"}')).toBe(500);
  expect(errors).toEqual([new Error('database is down')]);
  expect(await post('{"id":')).toBe(400);
  expect(await post('{"id":"good"}', sign('{"id":"other"}'))).toBe(400);
  expect(await post(JSON.stringify({ id: 'x'.repeat(100) }))).toBe(413);
});
