import type { Socket } from 'node:net';
import { Client } from 'undici';
import { EgressError } from './egress-error.ts';
import { openGuardedSocket, type SocketGuard } from './open-guarded-socket.ts';

// Deliberately never reached. Over its limit the parser creates an error with a stack for every further header of the
// chunk: 64 KB of headers then block the process for 200 ms. The byte count on the wire is cheap and ends the connection
// long before.
const PARSER_MAX_HEADER_BYTES = 1_048_576;
const KEEP_ALIVE_MS = 4_000;
// For a receiver that announces its idle timeout, ours ends a little earlier.
const KEEP_ALIVE_MARGIN_MS = 1_000;

export interface Connection {
  readonly client: Client;
  readonly key: string;
  readonly openedAtMs: number;
  isOpen(): boolean;
  /** Resets the count of received bytes. */
  startCounting(): void;
  /** Bytes received since counting started, framing included. */
  receivedBytes(): number;
  /** Receiving more bytes than this closes the connection with the error that `error` creates. */
  limitBytes(options: { maxBytes: number; error: () => Error }): void;
  close(reason?: Error): void;
}

export interface ConnectionOptions {
  origin: string;
  key: string;
  guard: SocketGuard;
  nowMs: number;
  onClosed(connection: Connection): void;
}

/** One HTTP/1.1 connection to one endpoint. It connects once, through the guard. */
export function createConnection(options: ConnectionOptions): Connection {
  const dialing = new AbortController();
  let socket: Socket | null = null;
  let baseBytes = 0;
  let limit = { maxBytes: 0, error: () => new Error('data received before a request') };
  let isClosed = false;

  const client = new Client(options.origin, {
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: PARSER_MAX_HEADER_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    // The caller's deadline covers the whole exchange, so these are not needed.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: ({ hostname, port, protocol }, callback) => {
      const isTls = protocol === 'https:';
      const target = { hostname, port: Number(port) || (isTls ? 443 : 80), isTls };
      openGuardedSocket({ target, guard: options.guard, signal: dialing.signal }).then(
        (opened) => {
          socket = opened;
          callback(null, opened);
          // Added after the parser's own listener, so it runs on data that the parser has already seen.
          opened.on('readable', enforceLimit);
        },
        (error) => callback(error, null),
      );
    },
  });

  const connection: Connection = {
    client,
    key: options.key,
    openedAtMs: options.nowMs,
    isOpen: () => !isClosed && socket !== null && !socket.destroyed,
    startCounting() {
      baseBytes = socket?.bytesRead ?? 0;
    },
    receivedBytes: () => (socket?.bytesRead ?? 0) - baseBytes,
    limitBytes(next) {
      limit = next;
    },
    close(reason = new EgressError('reset', 'The connection was closed.')) {
      if (isClosed) return;
      isClosed = true;
      options.onClosed(connection);
      dialing.abort(reason);
      socket?.destroy();
      client.destroy(reason).catch(() => {});
    },
  };
  client.on('disconnect', () => connection.close());
  return connection;

  // Data that the parser skips (chunk extensions, padding, blank lines) counts too.
  function enforceLimit() {
    if (connection.receivedBytes() > limit.maxBytes) socket?.destroy(limit.error());
  }
}
