import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A TCP receiver for tests: it counts connections and passes each to the test. */
export interface RawReceiver {
  port: number;
  connectionCount(): number;
  openCount(): number;
  /** Bytes that the receiver has sent. */
  bytesWritten(): number;
  close(): Promise<void>;
}

export interface RawReceiverOptions {
  host?: string;
  tls?: TlsOptions;
  onConnection(socket: Socket): void;
}

export async function startRawReceiver(options: RawReceiverOptions): Promise<RawReceiver> {
  const sockets = new Set<Socket>();
  let bytesWritten = 0;
  let connectionCount = 0;
  const onSocket = (socket: Socket) => {
    socket.on('error', () => {});
    options.onConnection(socket);
  };
  const server: Server = options.tls ? createTlsServer(options.tls, onSocket) : createServer(onSocket);
  server.on('tlsClientError', () => {});
  server.on('connection', (socket) => {
    connectionCount += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      bytesWritten += socket.bytesWritten;
      sockets.delete(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, options.host ?? '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connectionCount: () => connectionCount,
    openCount: () => sockets.size,
    bytesWritten: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, bytesWritten),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Calls back once the head and the announced body of a request have arrived, and again for the next on this socket. */
export function onRequest(socket: Socket, callback: (request: string) => void): void {
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1');
    const headEnd = received.indexOf('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0);
    if (headEnd === -1 || received.length < headEnd + 4 + length) return;
    const request = received.slice(0, headEnd + 4 + length);
    received = received.slice(request.length);
    callback(request);
  });
}

/** Writes the chunk forever, as fast as the other side reads. */
export function writeEndlessly(socket: Socket, chunk: Buffer | string): void {
  const write = () => {
    while (!socket.destroyed && socket.writable && socket.write(chunk));
  };
  socket.on('drain', write);
  write();
}

/** Writes the chunk every few milliseconds, forever. */
export function drip(socket: Socket, options: { chunk: string; everyMs: number }): void {
  const timer = setInterval(() => socket.write(options.chunk), options.everyMs);
  socket.on('close', () => clearInterval(timer));
}
