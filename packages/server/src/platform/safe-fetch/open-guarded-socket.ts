import { connect as connectTcp, isIP, type Socket, type TcpNetConnectOpts } from 'node:net';
import { connect as connectTls, type SecureContext, type TLSSocket } from 'node:tls';
import type { AddressPolicy } from './address-policy.ts';
import { EgressError } from './egress-error.ts';
import { explainConnectError } from './explain-network-error.ts';
import type { ResolveHost } from './resolve-host.ts';

const DNS_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
const MAX_ADDRESSES = 64;
const ATTEMPT_TIMEOUT_MS = 1_000;
const SOCKET_BUFFER_BYTES = 16_384;

export interface SocketTarget {
  hostname: string;
  port: number;
  isTls: boolean;
}

export interface SocketGuard {
  policy: AddressPolicy;
  resolve: ResolveHost;
  secureContext: SecureContext;
}

interface OpenOptions {
  target: SocketTarget;
  guard: SocketGuard;
  signal: AbortSignal;
}

/**
 * Connects only if the policy allows every address of the name: a forbidden address among allowed ones is a rebinding
 * attempt. The socket connects to the addresses checked here and never resolves the name again.
 */
export async function openGuardedSocket(options: OpenOptions): Promise<Socket> {
  const addresses = await resolveAllowed(options);
  const startedMs = performance.now();
  const socket = await dial({ ...options, addresses });
  if (!options.target.isTls) return socket;
  return shakeHands({ ...options, socket, timeoutMs: CONNECT_TIMEOUT_MS - (performance.now() - startedMs) });
}

/** The checked addresses of a host, IPv4 first. */
export async function resolveAllowed({ target, guard, signal }: OpenOptions): Promise<string[]> {
  const hostname = target.hostname.replace(/^\[|\]$/g, '');
  const addresses = isIP(hostname) === 0 ? await ask({ hostname, resolve: guard.resolve, signal }) : [hostname];
  if (addresses.length === 0) throw new EgressError('dns', 'The host name has no address.');
  if (addresses.length > MAX_ADDRESSES) throw new EgressError('dns', 'The host name has too many addresses.');
  // The message omits the address: it could reveal a network that the owner of the URL cannot see.
  if (!addresses.every((address) => guard.policy.isAllowed(address))) {
    throw new EgressError('forbidden_address', 'The host resolves to an address that is not public.');
  }
  return addresses.sort((a, b) => isIP(a) - isIP(b));
}

async function ask(options: { hostname: string; resolve: ResolveHost; signal: AbortSignal }): Promise<string[]> {
  const query = new AbortController();
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new EgressError('dns', `No DNS response within ${DNS_TIMEOUT_MS / 1_000} s.`)),
    DNS_TIMEOUT_MS,
  );
  const onAbort = () => late.reject(options.signal.reason);
  options.signal.addEventListener('abort', onAbort, { once: true });
  try {
    const answer = options.resolve({ hostname: options.hostname, signal: query.signal });
    return await Promise.race([answer, late.promise]);
  } catch (error) {
    if (error instanceof EgressError) throw error;
    throw explainConnectError(error, 'dns');
  } finally {
    clearTimeout(timer);
    options.signal.removeEventListener('abort', onAbort);
    query.abort();
  }
}

async function dial({ target, guard, signal, addresses }: OpenOptions & { addresses: string[] }): Promise<Socket> {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  const options: TcpNetConnectOpts & { highWaterMark: number } = {
    host: target.hostname.replace(/^\[|\]$/g, ''),
    port: target.port,
    noDelay: true,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_TIMEOUT_MS,
    highWaterMark: SOCKET_BUFFER_BYTES,
    lookup: (_hostname, { all }, callback) => {
      const first = entries[0];
      if (all || first === undefined) callback(null, entries);
      else callback(null, first.address, first.family);
    },
  };
  const socket = connectTcp(options);
  await settle({ socket, event: 'connect', phase: 'connect', timeoutMs: CONNECT_TIMEOUT_MS, signal });
  if (!guard.policy.isAllowed(socket.remoteAddress ?? '')) {
    socket.destroy();
    throw new EgressError('forbidden_address', 'The connection reached an address that is not public.');
  }
  return socket;
}

async function shakeHands(options: OpenOptions & { socket: Socket; timeoutMs: number }): Promise<TLSSocket> {
  const { target, guard, signal, socket, timeoutMs } = options;
  const hostname = target.hostname.replace(/^\[|\]$/g, '');
  const secure = connectTls({
    socket,
    host: hostname,
    servername: isIP(hostname) === 0 ? hostname : '',
    secureContext: guard.secureContext,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true,
  });
  await settle({ socket: secure, event: 'secureConnect', phase: 'tls', timeoutMs, signal });
  return secure;
}

interface Settle {
  socket: Socket;
  event: 'connect' | 'secureConnect';
  phase: 'connect' | 'tls';
  timeoutMs: number;
  signal: AbortSignal;
}

function settle({ socket, event, phase, timeoutMs, signal }: Settle): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      clear();
      socket.destroy();
      reject(error);
    };
    const onEvent = () => {
      clear();
      resolve();
    };
    const onError = (error: unknown) => fail(explainConnectError(error, phase));
    const onClose = () => fail(explainConnectError(new Error('closed'), phase));
    const onAbort = () => fail(signal.reason);
    const step = phase === 'tls' ? 'finish the TLS handshake' : 'accept a connection';
    const timer = setTimeout(
      () => fail(new EgressError('timeout', `The host did not ${step} within ${CONNECT_TIMEOUT_MS / 1_000} s.`)),
      timeoutMs,
    );
    const clear = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off(event, onEvent).off('error', onError).off('close', onClose);
    };
    // Never removed: between two owners an error must not become an uncaught exception.
    socket.on('error', () => {});
    socket.once(event, onEvent).once('error', onError).once('close', onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}
