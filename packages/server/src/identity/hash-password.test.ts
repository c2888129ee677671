import { expect, test } from 'vitest';
import { createPasswordHasher, MIN_COST_BITS } from './hash-password.ts';

const PASSWORD = 'correct horse battery';

test('the least cost of the service is in the hash, and only the right password verifies', async () => {
  const { hash, verify } = createPasswordHasher({ costBits: MIN_COST_BITS });
  const hashed = await hash(PASSWORD);
  expect(hashed).toMatch(/^scrypt\$17\$8\$1\$/);
  expect(await verify({ hash: hashed, password: PASSWORD })).toBe(true);
  expect(await verify({ hash: hashed, password: `${PASSWORD}!` })).toBe(false);
});

test('a password that was hashed at another cost verifies, so that the cost can be raised', async () => {
  const hashed = await createPasswordHasher({ costBits: 10 }).hash(PASSWORD);
  const { verify } = createPasswordHasher({ costBits: 11 });
  expect(await verify({ hash: hashed, password: PASSWORD })).toBe(true);
  expect(await verify({ hash: hashed, password: 'another password' })).toBe(false);
});

test.each(['', 'scrypt', 'argon2$17$8$1$c2FsdA$aGFzaA', 'scrypt$21$8$1$c2FsdA$aGFzaA', 'scrypt$10$16$1$c2FsdA$aGFzaA'])(
  'a hash of another form does not verify: %j',
  async (hash) => {
    expect(await createPasswordHasher({ costBits: 10 }).verify({ hash, password: PASSWORD })).toBe(false);
  },
);
