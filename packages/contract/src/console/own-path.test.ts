import { expect, test } from 'vitest';
import { readOwnPath } from './own-path.ts';

test.each([
  ['/', '/'],
  ['/accounts/a?b=c#d', '/accounts/a?b=c#d'],
  ['/a/../b', '/b'],
  ['/a//b', '/a//b'],
  ['/?next=//evil.example', '/?next=//evil.example'],
])('%j leads to %j', (text, path) => expect(readOwnPath(text)).toBe(path));

test.each([
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/..//evil.example',
  '/.//evil.example',
  '/%2e%2e//evil.example',
  '/a/../..//evil.example',
  '/..\\/evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  'a',
  '',
  undefined,
  ['/'],
])('%j leads nowhere', (text) => expect(readOwnPath(text)).toBeNull());
