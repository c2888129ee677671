import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createKeyRing } from '../../../platform/crypto.ts';
import { describeDestination, findProgram, registerProgram } from './program.ts';

const services = { keys: createKeyRing([randomBytes(32)]) };
const register = (redirectUri: string, name = 'Agent') =>
  registerProgram(services, { name, redirectUris: [redirectUri] });

describe('a program', () => {
  test.each([
    'https://agent.example/callback',
    'https://agent.example/callback?a=1',
    'http://127.0.0.1:33418/callback',
    'http://localhost/callback',
    'http://[::1]:1/callback',
    'cursor://anysphere.cursor/callback',
    'vscode://vendor.extension/callback',
  ])('can be answered at %s', (uri) => {
    expect(findProgram(services, { clientId: register(uri), redirectUri: uri }).name).toBe('Agent');
  });

  test.each([
    'http://agent.example/callback',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,a',
    'file:///etc/passwd',
    'https://agent.example/#code',
    'https://agent.example/callback#',
    'https://user:password@agent.example/',
    'ms-msdt:/id',
    'search-ms:query=x',
    'com.example.agent:/callback',
    'intent://x#Intent;end',
    'not a url',
    `https://agent.example/${'a'.repeat(400)}`,
  ])('cannot be answered at %s', (uri) => {
    expect(() => register(uri)).toThrow(/redirect_uris/);
  });

  test('registers one to five addresses', () => {
    for (const count of [0, 6]) {
      const redirectUris = Array.from({ length: count }, (_, n) => `https://agent.example/${n}`);
      expect(() => registerProgram(services, { name: 'Agent', redirectUris })).toThrow(/redirect_uris/);
    }
  });

  test.each([
    ['https://agent.example/callback', 'https://agent.example/other'],
    ['https://agent.example/callback', 'https://agent.example:8443/callback'],
    ['https://agent.example/callback', 'https://agent.example/callback?a=1'],
    ['http://127.0.0.1:1/callback', 'http://127.0.0.1:1/other'],
    ['http://127.0.0.1:1/callback', 'http://localhost:1/callback'],
    ['http://127.0.0.1:1/callback', 'http://evil@127.0.0.1:1/callback'],
    ['http://127.0.0.1:1/callback', 'https://127.0.0.1:1/callback'],
    ['http://127.0.0.1:1/callback', 'http://127.0.0.1:1/callback#a'],
    ['cursor://a/callback', 'cursor://b/callback'],
  ])('registered for %s is not answered at %s', (registered, redirectUri) => {
    const clientId = register(registered);
    expect(() => findProgram(services, { clientId, redirectUri })).toThrow(/did not register this address/);
  });

  test('on this machine may choose another port', () => {
    const clientId = register('http://127.0.0.1/callback');
    expect(findProgram(services, { clientId, redirectUri: 'http://127.0.0.1:50123/callback' }).name).toBe('Agent');
  });

  test('of another installation is unknown', () => {
    const other = { keys: createKeyRing([randomBytes(32)]) };
    const redirectUri = 'https://agent.example/';
    const clientId = registerProgram(other, { name: 'Agent', redirectUris: [redirectUri] });
    expect(() => findProgram(services, { clientId, redirectUri })).toThrow(/no such program/);
  });

  test.each([
    [' Agent\u202e\n', 'Agent'],
    ['', 'Unnamed program'],
    ['a'.repeat(100), 'a'.repeat(60)],
  ])('called %j is shown as %j', (name, shown) => {
    const redirectUri = 'https://agent.example/';
    expect(findProgram(services, { clientId: register(redirectUri, name), redirectUri }).name).toBe(shown);
  });

  test('is described by where the access goes', () => {
    expect(describeDestination('https://agent.example:8443/a')).toBe('agent.example:8443');
    expect(describeDestination('http://127.0.0.1:1/a')).toBe('127.0.0.1');
    expect(describeDestination('cursor://a/b')).toBe('cursor');
  });
});
