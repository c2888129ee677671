import { Atelier } from '@atelier/sdk';
import {
  type LocalStripe,
  STRIPE_KEY,
  STRIPE_WEBHOOK_SECRET,
  startStripe,
} from '@atelier/server/payments/testing/start-stripe.ts';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { until } from '../harness/client.ts';
import { signUp } from './sign-up.ts';
import { type Receiver, type RunningConsole, startConsole, startReceiver } from './start-console.ts';

const INES = { name: 'Ines Okafor', email: 'ines@northlight.example', password: 'correct horse battery staple' };
const SLOW_MS = 60_000;

let running: RunningConsole;
let receiver: Receiver;
let stripe: LocalStripe;

beforeAll(async () => {
  stripe = await startStripe();
  const payments = {
    PAYMENTS: 'stripe',
    COIN_PACKAGES: '1000=1000,4500=5000',
    STRIPE_API_URL: stripe.url,
    STRIPE_SECRET_KEY: STRIPE_KEY,
    STRIPE_WEBHOOK_SECRET,
  };
  [running, receiver] = await Promise.all([startConsole(inject('services'), payments), startReceiver()]);
  stripe.sendTo(`${running.stack.api().url}/payments/stripe`);
});
afterAll(async () => {
  await stripe?.[Symbol.asyncDispose]();
  await running?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

/** The first request of the quickstart. */
async function generate(key: string): Promise<void> {
  const client = new Atelier({ baseUrl: running.stack.api().url, apiKey: key });
  const params = { prompt: 'mountains and a lake at sunset' };
  await client.generations.create({ modelId: 'landscape-painter', params, maxCoins: 3 });
}

/** A secret that the page shows once. */
const readSecret = async (page: Page): Promise<string> => (await page.locator('.secret code').textContent()) ?? '';

async function createKey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Storefront');
  await dialog.getByLabel('Monthly cap').fill('100');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await page.getByRole('heading', { name: 'Storefront is ready' }).waitFor();
  return readSecret(page);
}

async function addEndpoint(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').fill(receiver.url);
  await dialog.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('heading', { name: 'The endpoint is added' }).waitFor();
  const secret = await readSecret(page);
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('heading', { name: receiver.url }).waitFor();
  return secret;
}

/** Pays at the provider. The page to which it returns waits for the event, and the balance rises without a reload. */
async function buyCoins(page: Page): Promise<void> {
  await page.getByRole('radio', { name: 'Live' }).check();
  await page.getByRole('link', { name: 'Ledger' }).click();
  await page.getByRole('heading', { name: 'No transfers yet' }).waitFor();
  await page.getByRole('button', { name: 'Buy coins' }).click();
  await page.getByRole('radio', { name: /5,000 coins/ }).check();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('heading', { name: 'Pay 4500 usd' }).waitFor();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.getByText('Waiting for the payment of US$45.00 for 5,000 coins').waitFor();
  const [session] = [...stripe.sessions.values()];
  expect(session).toMatchObject({ isPaid: true, amount: 4_500 });
  await page.evaluate('window.loadedOnce = true');
  expect(await stripe.send(stripe.paid(session!))).toBe(200);
  await page.getByText('5,000 coins are in your account').waitFor();
  await page.locator('.balance').getByText('5,000', { exact: true }).waitFor();
  expect(await page.evaluate('window.loadedOnce')).toBe(true);
  await page.getByRole('link', { name: 'Open the ledger' }).click();
  await page.getByRole('cell', { name: 'Coins bought' }).waitFor();

  // A refund takes them back.
  expect(await stripe.send(stripe.refunded(session!, 4_500))).toBe(200);
  await page.reload();
  await page.getByRole('cell', { name: '−5,000' }).waitFor();
}

test('a new user signs up, makes a picture with a key, receives webhooks and buys coins', async () => {
  const context = await running.browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(SLOW_MS);
  const page = await context.newPage();
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript/.test(message.text())) violations.push(message.text());
  });

  await signUp(running, page, INES);
  await page.getByRole('radio', { name: 'Test' }).check();
  await page.getByText('Test mode').waitFor();
  await page.getByRole('link', { name: 'API keys' }).click();
  const key = await createKey(page);
  expect(key).toMatch(/_test_/);

  // The list shows the generation without a reload: the mark would not survive one.
  await page.getByRole('link', { name: 'Generations' }).click();
  await page.getByRole('heading', { name: 'No generations yet' }).waitFor();
  await page.evaluate('window.loadedOnce = true');
  await generate(key);
  await page
    .getByRole('row', { name: /Landscape painter/ })
    .getByText('Succeeded')
    .waitFor();
  expect(await page.evaluate('window.loadedOnce')).toBe(true);

  await page.getByRole('link', { name: /Landscape painter/ }).click();
  await page.getByRole('heading', { name: 'Landscape painter' }).waitFor();
  await page.getByText('Captured').waitFor();
  await until(
    'the picture is shown',
    async () => (await page.evaluate("document.querySelector('.viewer img')?.naturalWidth > 0")) === true,
  );

  const secret = await addEndpoint(page);
  await generate(key);
  await page.getByRole('cell', { name: 'Delivered', exact: true }).waitFor();
  expect(receiver.received).toHaveLength(1);
  expect(receiver.received[0]!.isSignedWith(secret)).toBe(true);

  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('heading', { name: 'The secret is replaced' }).waitFor();
  const rotated = await readSecret(page);
  await page.getByRole('button', { name: 'Redeliver now' }).click();
  await until('the event arrives again', async () => receiver.received.length === 2);
  const second = receiver.received[1]!;
  expect([second.isSignedWith(secret), second.isSignedWith(rotated)]).toEqual([false, true]);
  expect(JSON.parse(second.body).id).toBe(JSON.parse(receiver.received[0]!.body).id);

  await page.getByRole('tab', { name: 'Signature debugger' }).click();
  await page.getByLabel('Received Service-Signature header').fill(second.header);
  await page.getByLabel('Received body').fill(JSON.stringify(JSON.parse(second.body), null, 2));
  await page.getByRole('button', { name: 'Check the signature' }).click();
  await page
    .getByText(/^The (body was changed|signature)/)
    .first()
    .waitFor();

  await page.getByRole('link', { name: 'API keys' }).click();
  await page
    .getByRole('row', { name: /Storefront/ })
    .getByText('of 100')
    .waitFor();
  // A secret is in the answer that creates it and nowhere else.
  expect(await page.content()).not.toContain(key);
  await buyCoins(page);
  expect(violations).toEqual([]);
  await context.close();
  await running.stack.assertBooks();
});
