import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import { createRecentMap } from '../../platform/flow/recent-map.ts';
import { WINDOW_SECONDS } from './rate-limit.ts';

const WINDOW_MS = WINDOW_SECONDS * 1000;
const MAX_ADDRESSES = 20_000;
/** An IPv6 /64 network usually belongs to one customer. */
const IPV6_NETWORK_BYTES = 8;

export interface AddressCounter {
  /** The seconds until the address may go on; null while it is below the limit. */
  secondsLeft(ip: string): number | null;
  count(ip: string): void;
}

/** Counts what an address does in a minute. Each process counts for itself. */
export function countPerAddress(limit: number): AddressCounter {
  const windows = createRecentMap<{ count: number; endsAtMs: number }>(MAX_ADDRESSES);
  /** When the last of the windows ends: after that, no address needs to be looked up. */
  let lastEndsAtMs = 0;
  return {
    secondsLeft(ip) {
      const nowMs = Date.now();
      const window = lastEndsAtMs > nowMs ? windows.get(networkOf(ip)) : undefined;
      if (window === undefined || window.endsAtMs <= nowMs || window.count < limit) return null;
      return Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000));
    },
    count(ip) {
      const nowMs = Date.now();
      const network = networkOf(ip);
      const window = windows.get(network);
      if (window !== undefined && window.endsAtMs > nowMs) window.count += 1;
      else {
        windows.set(network, { count: 1, endsAtMs: nowMs + WINDOW_MS });
        lastEndsAtMs = Math.max(lastEndsAtMs, nowMs + WINDOW_MS);
      }
    },
  };
}

/** The unit that is counted: an IPv4 address, or an IPv6 network. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip;
  const address = ipaddr.IPv6.parse(ip);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return Buffer.from(address.toByteArray().slice(0, IPV6_NETWORK_BYTES)).toString('hex');
}
