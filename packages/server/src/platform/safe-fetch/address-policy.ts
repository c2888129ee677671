import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

export interface AddressPolicy {
  isAllowed(ip: string): boolean;
}

export interface AddressPolicyOptions {
  /** Operator exceptions. An IPv4 range never allows an IPv6 address that embeds it. */
  allowCidrs?: readonly string[];
  /** Public addresses to refuse: the operator's own, or a NAT64 prefix of the local network. */
  denyCidrs?: readonly string[];
}

const NOT_PUBLIC_V4 = parseRanges([
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // carrier-grade NAT
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, cloud metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // IETF protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relay
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarking
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
]);

const GLOBAL_V6 = parseRange('2000::/3');

// Only ranges inside 2000::/3: everything outside is refused already, including loopback, mapped, compatible, NAT64,
// unique local, link-local, site-local, discard, segment routing and multicast.
const NOT_PUBLIC_V6 = parseRanges([
  '2001::/23', // IETF protocol assignments: Teredo, benchmarking, AMT, AS112, ORCHID, drone ids
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3ffe::/16', // 6bone, returned
  '3fff::/20', // documentation
]);

/** True for an address on the public internet in its canonical text form. False for everything else. */
export function isPublicAddress(ip: string): boolean {
  const address = parseStrict(ip);
  return address !== null && isPublic(address);
}

export function createAddressPolicy(options: AddressPolicyOptions = {}): AddressPolicy {
  const allowed = parseRanges(options.allowCidrs ?? []);
  const denied = parseRanges(options.denyCidrs ?? []);
  return {
    isAllowed(ip) {
      const address = parseStrict(ip);
      if (address === null || isInAny(address, denied)) return false;
      return isInAny(address, allowed) || isPublic(address);
    },
  };
}

function isPublic(address: Address): boolean {
  if (address instanceof ipaddr.IPv4) return address.range() === 'unicast' && !isInAny(address, NOT_PUBLIC_V4);
  return (
    isInAny(address, [GLOBAL_V6]) &&
    address.range() === 'unicast' &&
    !isInAny(address, NOT_PUBLIC_V6) &&
    !isIsatap(address)
  );
}

/** ISATAP hides an IPv4 address in the interface id under any prefix. */
function isIsatap(address: ipaddr.IPv6): boolean {
  const [high, low] = address.parts.slice(4, 6);
  return low === 0x5efe && (high === 0 || high === 0x200);
}

// ipaddr.js accepts octal, hex and short forms; resolvers and sockets never produce them, so they are refused.
function parseStrict(ip: string): Address | null {
  if (isIP(ip) === 0 || ip.includes('%')) return null;
  return ipaddr.parse(ip);
}

function parseRange(cidr: string): Range {
  if (!cidr.includes('/') || !ipaddr.isValidCIDR(cidr)) throw new Error(`invalid address range: ${cidr}`);
  return ipaddr.parseCIDR(cidr);
}

function parseRanges(cidrs: readonly string[]): Range[] {
  return cidrs.map(parseRange);
}

function isInAny(address: Address, ranges: readonly Range[]): boolean {
  return ranges.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits));
}
