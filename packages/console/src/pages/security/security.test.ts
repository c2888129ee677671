import { expect, test } from 'vitest';
import { nameBrowser } from './name-browser.ts';
import { readTotpKey } from './totp-key.ts';

test('the key of an authenticator app is shown in groups', () => {
  expect(readTotpKey('otpauth://totp/Atelier:ines?secret=JBSWY3DPEHPK3PXP&issuer=Atelier')).toBe('JBSW Y3DP EHPK 3PXP');
});

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) Chrome/156.0 Safari/537.36', 'Chrome, Linux'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1', 'Safari, iPhone'],
  ['curl/8.14', null],
])('names the browser of %s', (userAgent, expected) => {
  expect(nameBrowser(userAgent)).toBe(expected);
});
