import { connect, createServer, type Socket } from 'node:net';

/** A balancer of connections, as operators have one in front of the API. */
export interface Balancer {
  readonly url: string;
  /** New connections may go to this process. */
  add(url: string): void;
  /** No new connections go to it; open ones stay open. */
  remove(url: string): void;
  stop(): Promise<void>;
}

/**
 * Passes each connection to the next process in turn. One that refuses the connection has received nothing, so the next one
 * gets it. Whatever is sent on an open connection is passed on as it is: nothing is repeated.
 */
export async function startBalancer(): Promise<Balancer> {
  const targets: string[] = [];
  const sockets = new Set<Socket>();
  let turn = 0;

  const track = (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  };
  const passOn = (client: Socket, left: readonly string[]) => {
    const [target, ...others] = left;
    if (target === undefined) {
      client.destroy();
      return;
    }
    const { hostname, port } = new URL(target);
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    track(upstream);
    const refused = () => passOn(client, others);
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        one.on('error', () => other.destroy());
        one.pipe(other);
      }
      client.resume();
    });
  };
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    track(client);
    turn += 1;
    const first = turn % Math.max(targets.length, 1);
    passOn(client, [...targets.slice(first), ...targets.slice(0, first)]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 1_024, resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    add: (url) => void targets.push(url),
    remove(url) {
      const at = targets.indexOf(url);
      if (at >= 0) targets.splice(at, 1);
    },
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
