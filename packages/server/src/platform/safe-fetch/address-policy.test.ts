import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { createAddressPolicy, isPublicAddress } from './address-policy.ts';

const PUBLIC = [
  ...['1.1.1.1', '8.8.8.8', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255'],
  ...['128.0.0.1', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '192.0.1.0', '192.0.3.0'],
  ...['192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '198.51.101.0', '203.0.114.0'],
  ...['223.255.255.255', '2001:200::1', '2001:4860:4860::8888', '2606:4700::6810:84e5', '2a00:1450:4001:82a::200e'],
  ...['2003::1', '2400:cb00::1', '2c0f:fb50::1', '3ffd:ffff::1', '2001:db7::1', '2001:db9::1'],
];

const NOT_PUBLIC = [
  ...['0.0.0.0', '0.1.2.3', '10.0.0.0', '10.255.255.255', '100.64.0.0', '100.127.255.255', '127.0.0.1', '127.8.8.8'],
  ...['169.254.0.1', '169.254.169.254', '172.16.0.0', '172.31.255.255', '192.0.0.1', '192.0.0.170', '192.0.2.1'],
  ...['192.31.196.1', '192.52.193.1', '192.88.99.1', '192.168.0.1', '192.175.48.1', '198.18.0.0', '198.19.255.255'],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
  // unspecified, loopback, mapped, compatible, translated
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1', '::8.8.8.8'],
  ...['::ffff:0:127.0.0.1', '0:0:0:0:0:ffff:a9fe:a9fe'],
  // NAT64, 6to4, Teredo, ISATAP
  ...['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '64:ff9b:1:ffff::10.0.0.1', '2002:7f00:1::'],
  ...['2002:808:808::1', '2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2606:4700::5efe:127.0.0.1'],
  ...['2606:4700::200:5efe:10.0.0.1', 'fe80::5efe:10.0.0.1'],
  // benchmarking, AMT, AS112, ORCHID, drone ids, documentation, 6bone
  ...['2001:2::1', '2001:3::1', '2001:4:112::1', '2001:10::1', '2001:20::1', '2001:30::1', '2001:1ff::1'],
  ...['2001:db8::1', '2001:db8:ffff::1', '2620:4f:8000::1', '3ffe::1', '3fff::1', '3fff:fff::1'],
  // unique local, link-local, site-local, multicast, discard, segment routing, the rest of the space
  ...['fc00::1', 'fd00:ec2::254', 'fe80::1', 'febf::1', 'fec0::1', 'feff::1', 'ff02::1', 'ff0e::1', '100::1'],
  ...['5f00::1', '1fff::1', '4000::1', '8000::1', 'f000::1'],
  // not canonical, not an address
  ...['2606:4700::1%eth0', 'fe80::1%1', '0177.0.0.1', '0x7f.0.0.1', '127.1', '2130706433', '8.8.8.8 ', '08.8.8.8'],
  ...['', 'localhost', 'example.com', '1.1.1.1/32', '[2606:4700::1]', '1.1.1.256', '::g'],
];

describe('isPublicAddress', () => {
  it.each(PUBLIC)('%s is public', (ip) => expect(isPublicAddress(ip)).toBe(true));
  it.each(NOT_PUBLIC)('%j is not public', (ip) => expect(isPublicAddress(ip)).toBe(false));

  it('refuses every IPv6 form of every private IPv4 address', () => {
    for (const v4 of NOT_PUBLIC.filter((ip) => ipaddr.IPv4.isValidFourPartDecimal(ip) && !/^0[0-9x]/.test(ip))) {
      const [a = 0, b = 0, c = 0, d = 0] = ipaddr.IPv4.parse(v4).octets;
      const [high, low] = [(a * 256 + b).toString(16), (c * 256 + d).toString(16)];
      const inverted = [(0xffff ^ (a * 256 + b)).toString(16), (0xffff ^ (c * 256 + d)).toString(16)];
      const forms = [
        `::ffff:${high}:${low}`,
        `::${high}:${low}`,
        `::ffff:0:${high}:${low}`,
        `64:ff9b::${high}:${low}`,
        `64:ff9b:1::${high}:${low}`,
        `2002:${high}:${low}::1`,
        `2001:0:808:808:0:0:${inverted.join(':')}`,
        `2a00::5efe:${high}:${low}`,
      ];
      for (const form of forms) expect(isPublicAddress(form), `${v4} as ${form}`).toBe(false);
    }
  });

  it('is a subset of what ipaddr.js calls unicast', () => {
    for (let i = 0; i < 20_000; i += 1) {
      const parts = Array.from({ length: 4 }, () => Math.floor(Math.random() * 256));
      const ip = parts.join('.');
      if (ipaddr.IPv4.parse(ip).range() !== 'unicast') expect(isPublicAddress(ip), ip).toBe(false);
      else expect(isPublicAddress(ip), ip).toBe(true);
    }
  });
});

describe('createAddressPolicy', () => {
  it('allows the public internet by default', () => {
    const policy = createAddressPolicy();
    for (const ip of PUBLIC) expect(policy.isAllowed(ip), ip).toBe(true);
    for (const ip of NOT_PUBLIC) expect(policy.isAllowed(ip), ip).toBe(false);
  });

  it('allows the given ranges and nothing else', () => {
    const policy = createAddressPolicy({ allowCidrs: ['127.0.0.0/8', 'fd00::/8', '10.1.0.0/16'] });
    for (const ip of ['127.0.0.1', '127.9.9.9', 'fd12::1', '10.1.2.3', '8.8.8.8']) {
      expect(policy.isAllowed(ip), ip).toBe(true);
    }
    for (const ip of ['10.2.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1', '::127.0.0.1', 'fc00::1', '0.0.0.0']) {
      expect(policy.isAllowed(ip), ip).toBe(false);
    }
  });

  it('refuses the operator\u2019s own ranges first', () => {
    const policy = createAddressPolicy({ allowCidrs: ['10.0.0.0/8'], denyCidrs: ['10.9.0.0/16', '198.41.0.4/32'] });
    expect(policy.isAllowed('10.8.0.1')).toBe(true);
    expect(policy.isAllowed('10.9.0.1')).toBe(false);
    expect(policy.isAllowed('198.41.0.4')).toBe(false);
    expect(policy.isAllowed('198.41.0.5')).toBe(true);
  });

  it.each(['10.0.0.0', '10.0.0.0/33', 'localhost/8', '', '/8', '::1/129'])('throws on the range %j', (cidr) => {
    expect(() => createAddressPolicy({ allowCidrs: [cidr] })).toThrow('invalid address range');
  });
});
