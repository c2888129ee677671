import { connect, createServer, type Socket } from 'node:net';

/** A proxy in front of PostgreSQL: it can drop the response to a committed statement, and go silent without closing connections. */
export interface DatabaseProxy {
  /** The same database, reached through the proxy. */
  readonly url: string;
  /**
   * Loses the next answers to this named statement and breaks the connection. The server answers after the commit, so
   * by then it has happened.
   */
  loseAnswers(options: { statement: string; times: number; thenRefuseMs?: number }): void;
  /**
   * Passes nothing on the connections that are open now, and closes none: a network that drops packets. With `fresh`, on
   * those that are opened later too, until `speak`. With `application`, only on connections of that application name.
   */
  silence(options?: { fresh?: boolean; application?: string }): void;
  /** New connections work again. Silenced ones stay silent. */
  speak(): void;
  /** Connections silenced so far. */
  readonly silenced: number;
  /** Responses dropped so far. */
  readonly lost: number;
  stop(): Promise<void>;
}

interface Link {
  application: string;
  silent: boolean;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let plan: { statement: string; left: number; thenRefuseMs: number } | null = null;
  let refuseUntilMs = 0;
  let lost = 0;
  let muteFresh: ((application: string) => boolean) | null = null;
  let silenced = 0;
  const links = new Set<Link>();
  const mute = (link: Link) => {
    if (!link.silent) silenced += 1;
    link.silent = true;
  };

  const server = createServer((client) => {
    if (Date.now() < refuseUntilMs) {
      client.destroy();
      return;
    }
    const upstream = connect({ host: target.hostname, port: Number(target.port) });
    let doomed = false;
    const link: Link = { application: '', silent: false };
    links.add(link);
    const cut = () => {
      links.delete(link);
      // On a silent network neither end learns that the other has closed.
      if (link.silent) return;
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', cut);
      socket.on('close', () => {
        sockets.delete(socket);
        cut();
      });
    }
    client.on('data', (chunk) => {
      if (link.application === '') {
        link.application = /application_name\0([^\0]*)/.exec(chunk.toString('latin1'))?.[1] ?? 'unnamed';
        if (muteFresh?.(link.application)) mute(link);
      }
      if (link.silent) return;
      if (plan !== null && plan.left > 0 && chunk.includes(`${plan.statement}\0`)) {
        plan.left -= 1;
        doomed = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (link.silent) return;
      if (!doomed) {
        client.write(chunk);
        return;
      }
      lost += 1;
      refuseUntilMs = Date.now() + (plan?.thenRefuseMs ?? 0);
      if (refuseUntilMs > Date.now()) for (const socket of sockets) socket.destroy();
      cut();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.port = String((server.address() as { port: number }).port);
  return {
    url: String(url),
    loseAnswers({ statement, times, thenRefuseMs = 0 }) {
      plan = { statement, left: times, thenRefuseMs };
    },
    silence({ fresh = false, application } = {}) {
      const isMeant = (name: string) => application === undefined || name === application;
      for (const link of links) if (isMeant(link.application)) mute(link);
      muteFresh = fresh ? isMeant : null;
    },
    speak() {
      muteFresh = null;
    },
    get silenced() {
      return silenced;
    },
    get lost() {
      return lost;
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
