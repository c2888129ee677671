import { expect, test } from 'vitest';
import { findProgram } from './find-program.ts';

test('a program is found outside the search path', () => {
  expect(findProgram({ program: 'sh', debianPackage: 'dash', folders: ['/bin'] })).toBe('/bin/sh');
});

test('the error for a missing program names its package and how to install it', () => {
  expect(() => findProgram({ program: 'no-such-program', debianPackage: 'its-package' })).toThrow(
    /no-such-program is not installed.*its-package.*scripts\/setup/,
  );
});
