import { createHmac } from 'node:crypto';
import type { Page } from 'playwright-core';

const STEP_SECONDS = 30;

/** The code of an authenticator app at this time or some steps later (RFC 6238), from the key as the page shows it. */
export function computeCode(key: string, laterSteps = 0): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
  const bits = [...key.replaceAll(' ', '')].map((each) => alphabet.indexOf(each).toString(2).padStart(5, '0')).join('');
  const bytes = (bits.match(/.{8}/g) ?? []).map((each) => Number.parseInt(each, 2));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 1000 / STEP_SECONDS) + laterSteps));
  const digest = createHmac('sha1', Buffer.from(bytes)).update(counter).digest();
  const at = digest.at(-1)! & 0xf;
  return String((digest.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** Turns on the codes of an authenticator app, and returns the key that the page shows. */
export async function turnOnCodes(page: Page, { password }: { password: string }): Promise<string> {
  await page.getByRole('link', { name: 'Your security' }).click();
  await page.getByRole('button', { name: 'Turn on' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Password').fill(password);
  await dialog.getByRole('button', { name: 'Turn on' }).click();
  const key = (await dialog.locator('.secret code').textContent()) ?? '';
  // The previous one, which is still valid: the current one is for the next sign-in, because each works once.
  await dialog.getByLabel('Code').fill(computeCode(key, -1));
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  return key;
}
