import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { until } from '../harness/client.ts';
import { signUp } from './sign-up.ts';
import { type Receiver, type RunningConsole, startConsole, startReceiver } from './start-console.ts';

const INES = { name: 'Ines Okafor', email: 'ines@northlight.example', password: 'correct horse battery staple' };
const SLOW_MS = 60_000;

let running: RunningConsole;
let receiver: Receiver;

beforeAll(async () => {
  [running, receiver] = await Promise.all([startConsole(inject('services')), startReceiver()]);
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  await receiver?.[Symbol.asyncDispose]();
});

/** The first request of the quickstart. */
async function generate(key: string): Promise<void> {
  const response = await fetch(`${running.stack.api().url}/v1/generations`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      modelId: 'landscape-painter',
      params: { prompt: 'mountains and a lake at sunset' },
      maxCoins: 3,
    }),
  });
  expect(response.status, await response.text()).toBe(201);
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

test('a new user signs up, makes a picture with a key and receives webhooks', async () => {
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
  expect(violations).toEqual([]);
  await context.close();
  await running.stack.assertBooks();
});
