import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { atPlayground, signIn, signOut, signUp } from './sign-up.ts';
import { type RunningConsole, startConsole } from './start-console.ts';

const AMARA = { name: 'Amara Voss', email: 'amara@northlight.example', password: 'correct horse battery staple' };
const SLOW_MS = 60_000;
const STEP_SECONDS = 30;

let running: RunningConsole;

beforeAll(async () => {
  running = await startConsole(inject('services'));
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
});

/** The code of an authenticator app at this time (RFC 6238), from the key as the page shows it. */
function computeCode(key: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...key.replaceAll(' ', '')].map((each) => alphabet.indexOf(each).toString(2).padStart(5, '0')).join('');
  const bytes = (bits.match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / STEP_SECONDS)));
  const digest = createHmac('sha1', Buffer.from(bytes)).update(counter).digest();
  const at = digest.at(-1)! & 0xf;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A device that holds passkeys and confirms each use. */
async function addAuthenticator(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test('a person signs in with a passkey, and with a code of an authenticator app', async () => {
  const context = await running.browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(SLOW_MS);
  const page = await context.newPage();
  await addAuthenticator(page);
  await signUp(running, page, AMARA);

  await page.getByRole('link', { name: 'Your security' }).click();
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the device').fill('Work laptop');
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('Work laptop').waitFor();

  await signOut(page, AMARA);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await atPlayground(page);

  await page.getByRole('link', { name: 'Your security' }).click();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await dialog.getByLabel('Password').fill(AMARA.password);
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const key = (await dialog.locator('.secret code').textContent()) ?? '';
  await dialog.getByLabel('Code').fill(computeCode(key));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();

  await signOut(page, AMARA);
  await signIn(page, AMARA);
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Code').fill(computeCode(key));
  await page.getByRole('button', { name: 'Continue' }).click();
  await atPlayground(page);

  // A session that ends elsewhere leads to the sign-in, and back.
  await context.clearCookies();
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  expect(new URL(page.url()).searchParams.get('next')).toMatch(/\/webhooks$/);
  await context.close();
});
