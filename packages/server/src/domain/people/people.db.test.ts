import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { sha256 } from '../../platform/crypto.ts';
import { withTx } from '../../platform/db.ts';
import { newId } from '../../platform/ids.ts';
import type { Mail } from '../../platform/mail.ts';
import { createAccountPair } from '../accounts/create-account-pair.ts';
import {
  acceptInvitation,
  createInvitation,
  findInvitation,
  inviteMember,
  listInvitations,
  revokeInvitation,
} from './invitations.ts';
import { findMembership, listMembers, listMemberships, setMemberRole } from './memberships.ts';
import { setUpPerson } from './set-up-person.ts';
import { sweepPeople } from './sweep-people.ts';
import { throttle } from './throttle.ts';

const { db, owner } = await openTestDatabase();
const accountDefaults = { coins: 5, testCoins: 100, runLimit: 2, raisedLimit: null, rateLimit: 300, keyRateLimit: 120 };
const services = { db, accountDefaults };

let number = 0;
async function addPerson({ verified = true } = {}): Promise<{ personId: string; email: string }> {
  number += 1;
  const personId = newId();
  const email = `person${number}@example.com`;
  await owner.pool.query('INSERT INTO person (id, name, email, email_verified) VALUES ($1, $2, $3, $4)', [
    personId,
    `Person ${number}`,
    email,
    verified,
  ]);
  return { personId, email };
}

async function addOwner() {
  const person = await addPerson();
  const accounts = await setUpPerson(services, person.personId);
  return { ...person, ...accounts! };
}

const invite = (accountId: string, email: string, role: 'owner' | 'viewer' | 'billing' = 'viewer') =>
  createInvitation(services, { accountId, email, role, invitedBy: null, actor: 'test' });

test('the first sign-in creates one pair of accounts, also when two arrive together', async () => {
  const { personId } = await addPerson();
  const made = await Promise.all([setUpPerson(services, personId), setUpPerson(services, personId)]);
  expect(made.filter((each) => each !== null)).toHaveLength(1);
  expect(await setUpPerson(services, personId)).toBeNull();
  const [membership, ...others] = await listMemberships(services, personId);
  expect(others).toEqual([]);
  expect(membership).toMatchObject({ role: 'owner', name: `Person ${number}` });
  for (const mode of ['live', 'test'] as const) {
    expect(await findMembership(services, { personId, accountId: membership!.accountIds[mode] })).toEqual({
      role: 'owner',
      accountId: membership!.accountIds[mode],
      mode,
      pairId: membership!.pairId,
    });
  }
});

test('a person whose address is not verified gets no account', async () => {
  const { personId } = await addPerson({ verified: false });
  expect(await setUpPerson(services, personId)).toBeNull();
  expect(await listMemberships(services, personId)).toEqual([]);
});

test('a person does not belong to the account of another', async () => {
  const [first, second] = [await addOwner(), await addOwner()];
  expect(await findMembership(services, { personId: first.personId, accountId: second.accountId })).toBeNull();
});

test('an invitation is accepted once, by the person it was sent to', async () => {
  const inviter = await addOwner();
  const [invited, other] = [await addPerson(), await addPerson()];
  const { token, expiresAt } = await invite(inviter.accountId, invited.email.toUpperCase(), 'billing');
  expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(6.9 * 86_400_000);
  expect(await findInvitation(services, token)).toMatchObject({ email: invited.email, role: 'billing' });
  await expect(acceptInvitation(services, { personId: other.personId, token })).rejects.toMatchObject({
    code: 'not_found',
  });
  const accepted = await Promise.allSettled(
    [1, 2, 3].map(() => acceptInvitation(services, { personId: invited.personId, token })),
  );
  expect(accepted.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(await findInvitation(services, token)).toBeNull();
  expect(
    await findMembership(services, { personId: invited.personId, accountId: inviter.testAccountId }),
  ).toMatchObject({
    role: 'billing',
  });
  // A member of someone else's accounts gets no pair at the next sign-in.
  expect(await setUpPerson(services, invited.personId)).toBeNull();
  expect((await listMembers(services, inviter.accountId)).map(({ role }) => role)).toEqual(['owner', 'billing']);
});

test('accepting an invitation verifies the address it was sent to', async () => {
  const inviter = await addOwner();
  const invited = await addPerson({ verified: false });
  const { token } = await invite(inviter.accountId, invited.email);
  await acceptInvitation(services, { personId: invited.personId, token });
  const { rows } = await owner.pool.query('SELECT email_verified FROM person WHERE id = $1', [invited.personId]);
  expect(rows).toEqual([{ email_verified: true }]);
});

test('an expired, revoked or replaced invitation cannot be accepted', async () => {
  const inviter = await addOwner();
  const { personId, email } = await addPerson();
  const replaced = await invite(inviter.accountId, email);
  const expired = await invite(inviter.accountId, email);
  await owner.pool.query(`UPDATE invitation SET expires_at = now() - interval '1 second' WHERE id = $1`, [expired.id]);
  const revoked = await invite(inviter.accountId, email);
  expect((await listInvitations(services, inviter.accountId)).map(({ id }) => id)).toEqual([revoked.id]);
  await revokeInvitation(services, { accountId: inviter.accountId, invitationId: revoked.id, actor: 'test' });
  for (const { token } of [replaced, expired, revoked]) {
    await expect(acceptInvitation(services, { personId, token })).rejects.toMatchObject({ code: 'not_found' });
  }
  await expect(
    revokeInvitation(services, { accountId: inviter.accountId, invitationId: revoked.id, actor: 'test' }),
  ).rejects.toMatchObject({ code: 'not_found' });
});

test('the token of an invitation is stored as a hash only', async () => {
  const inviter = await addOwner();
  const { id, token } = await invite(inviter.accountId, 'new@example.com');
  const { rows } = await owner.pool.query('SELECT invitation::text AS row, token_hash FROM invitation WHERE id = $1', [
    id,
  ]);
  expect(rows[0].row).not.toContain(token);
  expect(rows[0].token_hash).toEqual(sha256(token));
});

test('the mail of an invitation has the link, and the name of the account cannot add markup or header lines', async () => {
  const inviter = await addOwner();
  await owner.pool.query('UPDATE account SET name = $2 WHERE id = $1', [
    inviter.accountId,
    '<b>Studio</b>\r\nBcc: x@y.zz',
  ]);
  const mails: Mail[] = [];
  const mail = { sendSoon: (each: Mail) => void mails.push(each) };
  await inviteMember(
    { db, mail, consoleUrl: 'https://console.example.com' },
    { accountId: inviter.accountId, email: ' New@Example.com ', role: 'developer', invitedBy: null, actor: 'test' },
  );
  expect(mails).toHaveLength(1);
  expect(mails[0]).toMatchObject({ to: 'new@example.com', subject: 'Invitation to <b>Studio</b> Bcc: x@y.zz' });
  expect(mails[0]?.html).toContain('&lt;b&gt;Studio');
  expect(mails[0]?.html).not.toContain('<b>');
  const token = new URL(mails[0]!.text.match(/https:\S+/)![0]).searchParams.get('invitation')!;
  expect(await findInvitation(services, token)).toMatchObject({ role: 'developer', email: 'new@example.com' });
});

test('a member and an address that is not valid cannot be invited', async () => {
  const inviter = await addOwner();
  await expect(invite(inviter.accountId, inviter.email)).rejects.toThrow('already a member');
  for (const email of [
    '',
    'nobody',
    'a@b',
    'a b@example.com',
    'x@example.com\nBcc: y@example.com',
    `${'a'.repeat(250)}@x.io`,
  ]) {
    expect(() => invite(inviter.accountId, email)).toThrow('not valid');
  }
});

test('a pair keeps an owner: the only one can neither leave nor lose the role, also when two leave together', async () => {
  const first = await addOwner();
  const { personId, email } = await addPerson();
  const { token } = await invite(first.accountId, email, 'owner');
  await expect(
    setMemberRole(services, { accountId: first.accountId, personId: first.personId, role: 'viewer', actor: 'test' }),
  ).rejects.toThrow('only owner');
  await acceptInvitation(services, { personId, token });
  const left = await Promise.allSettled(
    [first.personId, personId].map((each) =>
      setMemberRole(services, { accountId: first.accountId, personId: each, role: null, actor: 'test' }),
    ),
  );
  expect(left.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect((await listMembers(services, first.accountId)).map(({ role }) => role)).toEqual(['owner']);
});

test('a membership always leads to a pair of accounts', async () => {
  const { personId } = await addPerson();
  await expect(
    db.pool.query(`INSERT INTO membership (person_id, pair_id, role) VALUES ($1, $2, 'owner')`, [personId, newId()]),
  ).rejects.toThrow('foreign key');
  const pair = await withTx(db, (tx) =>
    createAccountPair(tx, { name: 'Studio', actor: 'test', defaults: accountDefaults }),
  );
  await expect(
    db.pool.query(`INSERT INTO membership (person_id, pair_id, role) VALUES ($1, $2, 'king')`, [
      personId,
      pair.ownerId,
    ]),
  ).rejects.toThrow('membership_role_check');
});

test('the throttle allows exactly as many attempts as its rule, also concurrently, and starts again after the window', async () => {
  const rule = { windowSeconds: 60, max: 5 };
  const waits = await Promise.all(Array.from({ length: 12 }, () => throttle(services, 'sign-in a', rule)));
  expect(waits.filter((wait) => wait === null)).toHaveLength(5);
  for (const wait of waits) if (wait !== null) expect(wait).toBeLessThanOrEqual(60);
  expect(await throttle(services, 'sign-in b', rule)).toBeNull();
  await owner.pool.query(`UPDATE throttle SET ends_at = now() - interval '1 second'`);
  expect(await throttle(services, 'sign-in a', rule)).toBeNull();
});

test('the sweep deletes what has ended and keeps the rest', async () => {
  const { personId } = await addPerson();
  await owner.pool.query(
    `INSERT INTO person_session (id, person_id, token_hash, expires_at) VALUES
       (gen_random_uuid(), $1, repeat('a', 43), now() - interval '1 minute'),
       (gen_random_uuid(), $1, repeat('b', 43), now() + interval '1 minute')`,
    [personId],
  );
  await owner.pool.query(`UPDATE throttle SET ends_at = now() - interval '1 second'`);
  await sweepPeople(services, new AbortController().signal);
  expect((await owner.pool.query('SELECT left(token_hash, 1) AS t FROM person_session')).rows).toEqual([{ t: 'b' }]);
  expect((await owner.pool.query('SELECT count(*)::int AS n FROM throttle')).rows).toEqual([{ n: 0 }]);
});
