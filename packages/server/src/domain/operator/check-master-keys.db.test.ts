import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createKeyRing } from '../../platform/crypto.ts';
import { checkMasterKeys } from './check-master-keys.ts';
import { forgetMasterKeys } from './forget-master-keys.ts';
import { listMasterKeys } from './list-master-keys.ts';

const { db, owner } = await openTestDatabase();
beforeEach(() => owner.pool.query('DELETE FROM master_key'));

const check = (...masters: Buffer[]) => checkMasterKeys({ db, keys: createKeyRing(masters) });

test('a wrong master key for an existing database is refused and leaves no trace', async () => {
  const [right, wrong] = [randomBytes(32), randomBytes(32)];
  expect(await check(right)).toBe(true);
  expect(await check(right)).toBe(true);
  expect(await check(wrong)).toBe(false);
  expect(await check(wrong, randomBytes(32))).toBe(false);
  expect(await listMasterKeys({ db, keys: createKeyRing([right]) })).toMatchObject([{ configured: true }]);
});

test('a second key before the old one is added, and then works alone', async () => {
  const [old, young] = [randomBytes(32), randomBytes(32)];
  expect(await check(old)).toBe(true);
  expect(await check(young)).toBe(false);
  expect(await check(young, old)).toBe(true);
  expect(await check(young)).toBe(true);
});

test('of concurrent first starts with different keys, one succeeds', async () => {
  const answers = await Promise.all(Array.from({ length: 8 }, () => check(randomBytes(32))));
  expect(answers.filter(Boolean)).toHaveLength(1);
});

test('the fingerprint is neither part of the key nor a key of another purpose', async () => {
  const master = randomBytes(32);
  const ring = createKeyRing([master]);
  await check(master);
  const { rows } = await owner.pool.query<{ fingerprint: string }>('SELECT fingerprint FROM master_key');
  expect(rows).toHaveLength(1);
  const digests = (['quote', 'cursor', 'link', 'seal', 'callback'] as const).map((each) =>
    ring.key(each)?.toString('hex'),
  );
  expect([master.toString('hex'), ...digests]).not.toContain(rows[0]?.fingerprint);
});

test('the operator can remove the record of a lost key', async () => {
  await check(randomBytes(32));
  expect(await forgetMasterKeys({ db }, { actor: 'Ada' })).toEqual({ forgotten: 1 });
  expect(await check(randomBytes(32))).toBe(true);
  const { rows } = await owner.pool.query(`SELECT actor FROM audit_log WHERE action = 'master_key.forgotten'`);
  expect(rows).toEqual([{ actor: 'Ada' }]);
});
