import { expect, test } from 'vitest';
import { createManualPayments } from './manual-payments.ts';

test('nothing is sold, and no event is accepted', async () => {
  const payments = createManualPayments(
    { currency: 'usd', contact: 'billing@example.com' },
    { cell: 'c1', locksDisputes: true },
  );
  expect(payments.offer).toEqual({ driver: 'manual', currency: 'usd', packages: [], contact: 'billing@example.com' });
  const order = {
    checkoutId: '0198a1c0-3b10-7d55-8c21-6e4f9a7b2c10',
    accountId: '0198a1c0-3b10-7d55-8c21-6e4f9a7b2c11',
    amount: 1,
    currency: 'usd',
    coins: 1,
    email: 'ada@example.com',
    successUrl: 'https://console.example.com/',
    cancelUrl: 'https://console.example.com/',
  };
  await expect(payments.openCheckout(order)).rejects.toMatchObject({ code: 'not_found' });
  expect(() => payments.readEvent({ body: Buffer.from('{}'), signature: '' })).toThrow('not sold');
});
