import { lookup, Resolver } from 'node:dns/promises';

export interface ResolveRequest {
  hostname: string;
  signal: AbortSignal;
}

/** Every address of a name, IPv4 and IPv6. Rejects when there is none. */
export type ResolveHost = (request: ResolveRequest) => Promise<string[]>;

export interface HostResolverOptions {
  /** `address` or `address:port`; the system's servers otherwise. */
  dnsServers?: readonly string[];
  /** Also ask the hosts file. Only for operators with exceptions: getaddrinfo occupies one of the few libuv threads. */
  useHostsFile?: boolean;
}

const DNS_TRY_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

export function createHostResolver(options: HostResolverOptions = {}): ResolveHost {
  return async ({ hostname, signal }) => {
    // RFC 6761: localhost is never sent to a DNS server.
    if (hostname === 'localhost' || hostname.endsWith('.localhost')) return ['127.0.0.1', '::1'];

    // One resolver per name, so that cancel() ends this query and no other; it also follows a changed resolv.conf.
    const resolver = new Resolver({ timeout: DNS_TRY_TIMEOUT_MS, tries: DNS_TRIES });
    if (options.dnsServers) resolver.setServers(options.dnsServers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
      if (addresses.length > 0) return addresses;
      if (options.useHostsFile && !signal.aborted) {
        return (await lookup(hostname, { all: true })).map((entry) => entry.address);
      }
      throw answers[0].status === 'rejected' ? answers[0].reason : new Error('no address');
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}
