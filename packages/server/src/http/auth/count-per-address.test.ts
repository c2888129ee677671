import { expect, test } from 'vitest';
import { networkOf } from './count-per-address.ts';

test('IPv4 counts by address, IPv6 by its network', () => {
  expect(networkOf('203.0.113.7')).toBe('203.0.113.7');
  expect(networkOf('::ffff:203.0.113.7')).toBe('203.0.113.7');
  expect(networkOf('2001:db8:1:2::1')).toBe(networkOf('2001:db8:1:2:ffff:ffff:ffff:ffff'));
  expect(networkOf('2001:db8:1:2::1')).not.toBe(networkOf('2001:db8:1:3::1'));
  expect(networkOf('fe80::1%eth0')).toBe(networkOf('fe80::2'));
});
