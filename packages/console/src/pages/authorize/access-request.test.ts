import { expect, test } from 'vitest';
import { readAccessRequest, refusalUrl } from './access-request.ts';

const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const asked = {
  response_type: 'code',
  client_id: 'p1.a.b.c',
  redirect_uri: 'http://127.0.0.1:33418/callback',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
  scope: 'read generate openid',
  state: '12345678901234567890',
  resource: 'https://api.example.com/mcp',
};
const search = (change: Record<string, string | undefined> = {}) => {
  const all = Object.entries({ ...asked, ...change }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return `?${new URLSearchParams(all)}`;
};

test('a request names the program, its secret, and scopes that exist', () => {
  expect(readAccessRequest(search())).toEqual({
    clientId: 'p1.a.b.c',
    redirectUri: 'http://127.0.0.1:33418/callback',
    codeChallenge: CHALLENGE,
    state: '12345678901234567890',
    scopes: ['generate', 'read'],
  });
});

test('a request without scopes asks for what the tools need', () => {
  expect(readAccessRequest(search({ scope: undefined }))?.scopes).toEqual(['generate', 'read', 'uploads', 'account']);
});

test.each([
  { response_type: 'token' },
  { code_challenge_method: 'plain' },
  { code_challenge: undefined },
  { code_challenge: 'short' },
  { client_id: undefined },
  { redirect_uri: 'nowhere' },
])('a request with %j is not supported', (change) => {
  expect(readAccessRequest(search(change))).toBeNull();
});

test('a refusal goes to the program, with its state', () => {
  expect(refusalUrl(readAccessRequest(search())!, 'https://console.example.com')).toBe(
    'http://127.0.0.1:33418/callback?error=access_denied&state=12345678901234567890&iss=https%3A%2F%2Fconsole.example.com',
  );
});
