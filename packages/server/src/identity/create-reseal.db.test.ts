import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../test/database.ts';
import { resealSecondFactors } from '../domain/people/reseal-second-factors.ts';
import { createKeyRing } from '../platform/crypto.ts';
import { createLog } from '../platform/log.ts';
import { createReseal } from './create-reseal.ts';
import { computeTotp, STEP_MS } from './testing/compute-totp.ts';
import { createTestIdentity, PASSWORD } from './testing/create-test-identity.ts';

const { db } = await openTestDatabase();
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const identityWith = (keys: readonly Buffer[]) =>
  createTestIdentity(db, { services: { db, keys: createKeyRing(keys), log: createLog({ level: 'silent' }) } });
const resealWith = (keys: readonly Buffer[]) =>
  resealSecondFactors({ db, reseal: createReseal(createKeyRing(keys)) }, { actor: 'Ada' });

test('second factors survive the removal of the old master key, if they were resealed', async () => {
  const before = await identityWith([oldKey]);
  const { email, browser, signIn } = await before.addPerson();
  await signIn();
  const { body } = await browser.post('/two-factor/enable', { password: PASSWORD });
  const { totpURI, backupCodes } = body as { totpURI: string; backupCodes: string[] };
  expect(
    (await browser.post('/two-factor/verify-totp', { code: computeTotp(totpURI, Date.now() - STEP_MS) })).status,
  ).toBe(200);

  // A key that does not open it changes nothing.
  expect(await resealWith([newKey])).toMatchObject({ resealed: 0, unopened: [expect.any(String)] });
  expect(await resealWith([newKey, oldKey])).toEqual({ resealed: 1, current: 0, unopened: [] });
  expect(await resealWith([newKey, oldKey])).toEqual({ resealed: 0, current: 1, unopened: [] });

  const after = await identityWith([newKey]);
  for (const [address, path, code] of [
    ['203.0.113.7', '/two-factor/verify-totp', computeTotp(totpURI)],
    ['203.0.113.8', '/two-factor/verify-backup-code', backupCodes[0]],
  ] as const) {
    const fresh = after.openBrowser(address);
    expect(await fresh.post('/sign-in/email', { email, password: PASSWORD })).toMatchObject({
      body: { twoFactorRedirect: true },
    });
    expect((await fresh.post(path, { code })).status).toBe(200);
  }
});
