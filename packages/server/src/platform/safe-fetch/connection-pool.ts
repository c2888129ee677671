import { type Connection, createConnection } from './connection.ts';
import type { SocketGuard } from './open-guarded-socket.ts';

const MAX_IDLE_CONNECTIONS = 512;
/** Connections of a busy endpoint are reopened this often, so that DNS and the address policy are checked again. */
const MAX_CONNECTION_AGE_MS = 30_000;

interface ConnectionRequest {
  origin: string;
  /** Connections are shared only under the same key; undefined: never shared. */
  reuseKey: string | undefined;
}

export interface ConnectionPool {
  /** An idle connection to this endpoint, or null. */
  takeIdle(request: ConnectionRequest): Connection | null;
  open(request: ConnectionRequest): Connection;
  /** Returns a connection to the pool after a complete response. */
  release(connection: Connection): void;
  close(): void;
}

const NO_REUSE = '';

export function createConnectionPool(options: { guard: SocketGuard; clock: () => number }): ConnectionPool {
  // Insertion order is age: the first key has the connection that has been idle longest.
  const idleByKey = new Map<string, Connection[]>();
  const all = new Set<Connection>();
  let idleCount = 0;
  let isClosed = false;

  function removeIdle(connection: Connection): void {
    const idle = idleByKey.get(connection.key);
    const index = idle?.indexOf(connection) ?? -1;
    if (idle === undefined || index === -1) return;
    idle.splice(index, 1);
    idleCount -= 1;
    if (idle.length === 0) idleByKey.delete(connection.key);
  }

  function isFresh(connection: Connection): boolean {
    return connection.isOpen() && options.clock() - connection.openedAtMs < MAX_CONNECTION_AGE_MS;
  }

  function keyOf({ origin, reuseKey }: ConnectionRequest): string {
    return reuseKey === undefined ? NO_REUSE : `${reuseKey} ${origin}`;
  }

  return {
    takeIdle(request) {
      const idle = idleByKey.get(keyOf(request));
      for (let connection = idle?.at(-1); connection !== undefined; connection = idle?.at(-1)) {
        removeIdle(connection);
        if (isFresh(connection)) return connection;
        connection.close();
      }
      return null;
    },
    open(request) {
      const connection = createConnection({
        origin: request.origin,
        key: keyOf(request),
        guard: options.guard,
        nowMs: options.clock(),
        onClosed(closed) {
          removeIdle(closed);
          all.delete(closed);
        },
      });
      all.add(connection);
      return connection;
    },
    release(connection) {
      if (isClosed || connection.key === NO_REUSE || !isFresh(connection)) {
        connection.close();
        return;
      }
      const idle = idleByKey.get(connection.key) ?? [];
      idle.push(connection);
      idleByKey.delete(connection.key);
      idleByKey.set(connection.key, idle);
      idleCount += 1;
      if (idleCount <= MAX_IDLE_CONNECTIONS) return;
      const oldest = idleByKey.values().next().value?.[0];
      if (oldest === undefined) return;
      removeIdle(oldest);
      oldest.close();
    },
    close() {
      isClosed = true;
      for (const connection of all) connection.close();
      all.clear();
      idleByKey.clear();
      idleCount = 0;
    },
  };
}
