import { connect, createServer, type Socket } from 'node:net';

/** Between the service and PostgreSQL: it can lose the answer of a statement that has committed. */
export interface DatabaseProxy {
  /** The same database, reached through the proxy. */
  readonly url: string;
  /**
   * Loses the next answers to this named statement and breaks the connection. The server answers after the commit, so
   * by then it has happened.
   */
  loseAnswers(options: { statement: string; times: number; thenRefuseMs?: number }): void;
  /** Answers lost so far. */
  readonly lost: number;
  stop(): Promise<void>;
}

export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let plan: { statement: string; left: number; thenRefuseMs: number } | null = null;
  let refuseUntilMs = 0;
  let lost = 0;

  const server = createServer((client) => {
    if (Date.now() < refuseUntilMs) {
      client.destroy();
      return;
    }
    const upstream = connect({ host: target.hostname, port: Number(target.port) });
    let doomed = false;
    const cut = () => {
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
      if (plan !== null && plan.left > 0 && chunk.includes(`${plan.statement}\0`)) {
        plan.left -= 1;
        doomed = true;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
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
