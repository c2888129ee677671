import { expect, test } from 'vitest';
import { Problem } from '../../platform/problem.ts';
import type { Identity, SignedIn } from './identity.ts';
import { freshUntil, requireFresh, requireSession, toWebHeaders } from './require-session.ts';

const signedIn: SignedIn = {
  personId: 'p',
  sessionId: 's',
  email: 'ada@example.com',
  name: 'Ada',
  signedInAt: new Date('2026-01-05T09:00:00Z'),
};
const identity: Pick<Identity, 'readSession'> = {
  readSession: async (headers) => (headers.get('cookie') === 'sid=known' ? signedIn : null),
};
const at = (time: string) => ({ now: () => new Date(time) });

test('a request without a cookie or with an unknown one has no session', async () => {
  expect(await requireSession(identity, { cookie: 'sid=known' })).toBe(signedIn);
  await expect(requireSession(identity, {})).rejects.toMatchObject({ code: 'sign_in_required' });
  await expect(requireSession(identity, { cookie: 'sid=other' })).rejects.toMatchObject({ code: 'sign_in_required' });
});

test('a sign-in is fresh for 15 minutes', () => {
  expect(freshUntil(signedIn)).toEqual(new Date('2026-01-05T09:15:00Z'));
  expect(() => requireFresh(at('2026-01-05T09:14:59.999Z'), signedIn)).not.toThrow();
  expect(() => requireFresh(at('2026-01-05T09:15:00Z'), signedIn)).toThrow(Problem);
});

test('repeated headers keep all their values', () => {
  const headers = toWebHeaders({ 'set-cookie': ['a', 'b'], host: 'x', cookie: undefined });
  expect([...headers]).toEqual([
    ['host', 'x'],
    ['set-cookie', 'a'],
    ['set-cookie', 'b'],
  ]);
});
