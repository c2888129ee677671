import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { callRaw } from '../harness/client.ts';
import type { TestBrowser } from '../harness/open-browser.ts';
import { PASSWORD, type People, readLink, startPeople } from './start-people.ts';

const CALLBACK = 'http://127.0.0.1:33418/callback';

/** What members and invited people can do after an owner removed them. */
let people: People;
let owner: TestBrowser;
let accountId: string;

beforeAll(async () => {
  people = await startPeople(inject('services'));
  ({ browser: owner } = await people.addPerson());
  accountId = await findAccount(owner);
});
afterAll(async () => {
  await people?.[Symbol.asyncDispose]();
});

async function findAccount(browser: TestBrowser): Promise<string> {
  return (await browser.get('/api/session')).body.memberships[0].accountIds.live;
}

const invite = (browser: TestBrowser, email: string, role: string) =>
  browser.post(`/api/accounts/${accountId}/invitations`, { email, role });

const readToken = (mail: string): string => new URL(readLink(mail), people.url).searchParams.get('invitation')!;

/** A person whom the owner invited, and who accepted. */
async function addMember(role: string) {
  const { email, browser } = await people.addPerson();
  await invite(owner, email, role);
  const mails = await people.waitForMails(email, 2);
  const accepted = await browser.post('/api/invitations/accept', { token: readToken(mails.at(-1)!) });
  expect(accepted.status).toBe(200);
  const { items } = (await owner.get(`/api/accounts/${accountId}/members`)).body;
  return { browser, personId: items.find((each: { email: string }) => each.email === email).personId as string };
}

const remove = async (personId: string) =>
  expect((await owner.delete(`/api/accounts/${accountId}/members/${personId}`)).status).toBe(200);

test.each(['removed', 'made a viewer'])('the invitations of an owner who is %s are withdrawn', async (how) => {
  const { browser, personId } = await addMember('owner');
  const email = `friend.of.${personId}@example.com`;
  expect((await invite(browser, email, 'owner')).status).toBe(201);
  const [mail] = await people.waitForMails(email, 1);
  if (how === 'removed') await remove(personId);
  else {
    const changed = await owner.patch(`/api/accounts/${accountId}/members/${personId}`, { role: 'viewer' });
    expect(changed.status).toBe(200);
  }

  const friend = people.openBrowser();
  const invitation = readToken(mail!);
  await friend.post('/api/auth/sign-up/email', { name: 'Friend', email, password: PASSWORD, invitation });
  const { items } = (await owner.get(`/api/accounts/${accountId}/members`)).body;
  expect(items.map((each: { email: string }) => each.email)).not.toContain(email);
});

test('a developer who is removed cannot exchange a code that was issued before', async () => {
  const { browser, personId } = await addMember('developer');
  const registered = await callRaw(people.url, 'POST /oauth/register', {
    json: { client_name: 'Agent', redirect_uris: [CALLBACK] },
  });
  const { client_id: clientId } = registered.body;
  const verifier = randomBytes(32).toString('base64url');
  const issueCode = async () => {
    const answer = await browser.post(`/api/accounts/${accountId}/authorizations`, {
      clientId,
      redirectUri: CALLBACK,
      codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
      state: 'a',
      scopes: ['read'],
      monthlySpendCapCoins: null,
    });
    return new URL(answer.body.redirectTo).searchParams.get('code')!;
  };
  const exchange = (code: string) =>
    callRaw(people.url, 'POST /oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        redirect_uri: CALLBACK,
        code_verifier: verifier,
      }).toString(),
    });
  const [before, after] = [await issueCode(), await issueCode()];
  expect((await exchange(before)).status).toBe(200);
  await remove(personId);
  expect(await exchange(after)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
});

test('an owner cannot send many mails to a stranger', async () => {
  const { browser } = await people.addPerson();
  const own = await findAccount(browser);
  const email = 'bystander@example.com';
  const statuses: number[] = [];
  for (let n = 0; n < 5; n += 1) {
    statuses.push((await browser.post(`/api/accounts/${own}/invitations`, { email, role: 'viewer' })).status);
  }
  expect(statuses).toEqual([201, 201, 201, 429, 429]);
  expect(await people.waitForMails(email, 3)).toHaveLength(3);
});
