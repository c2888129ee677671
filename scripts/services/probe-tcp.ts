import { connect } from 'node:net';

const PROBE_TIMEOUT_MS = 1_000;

/** True if the port accepts a connection. With `send` and `expect`, only if the response starts with the expected text. */
export function probeTcp(options: { port: number; send?: string; expect?: string }): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: options.port });
    const finish = (ok: boolean) => {
      socket.destroy();
      resolve(ok);
    };
    socket.setTimeout(PROBE_TIMEOUT_MS, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('connect', () => {
      if (options.send === undefined) finish(true);
      else socket.write(options.send);
    });
    socket.once('data', (data) => finish(data.toString('latin1').startsWith(options.expect ?? '')));
  });
}
