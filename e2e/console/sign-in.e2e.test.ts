import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { atPlayground, signIn, signOut, signUp } from './sign-up.ts';
import { type RunningConsole, startConsole } from './start-console.ts';
import { computeCode, turnOnCodes } from './turn-on-codes.ts';

const AMARA = { name: 'Amara Voss', email: 'amara@northlight.example', password: 'correct horse battery staple' };
const SLOW_MS = 60_000;

let running: RunningConsole;

beforeAll(async () => {
  running = await startConsole(inject('services'));
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
});

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
  await dialog.getByLabel('Password').fill(AMARA.password);
  await dialog.getByRole('button', { name: 'Add a passkey' }).click();
  await page.getByText('Work laptop').waitFor();

  await signOut(page, AMARA);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await atPlayground(page);

  const key = await turnOnCodes(page, AMARA);

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
