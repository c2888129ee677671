import { connect, type Socket } from 'node:net';

export interface OpenLoopOrder {
  /** The address of the server, such as `http://127.0.0.1:8080`. */
  readonly origin: string;
  /** Complete HTTP/1.1 requests, sent in turn. */
  readonly requests: readonly string[];
  readonly perSecond: number;
  readonly seconds: number;
}

export interface OpenLoopResult {
  /** Latency of each request in milliseconds, from the time it was due. */
  readonly latenciesMs: number[];
  /** How late this process itself sent them; it is part of the latencies. */
  readonly lagsMs: number[];
  readonly failures: number;
}

const OPEN_AT_START = 32;
/** A server that needs more is stuck; failing is better than running out of ports. */
const MAX_CONNECTIONS = 4_000;
const HEAD_END = Buffer.from('\r\n\r\n');

interface Connection {
  readonly socket: Socket;
  /** When the open request was due, on this process's clock; null while idle. */
  dueMs: number | null;
  received: Buffer;
}

/**
 * Sends requests at fixed times, whatever became of the earlier ones: a request that finds no idle connection opens another.
 * A closed loop would stop asking while the server stalls, and so hide the stall. The raw sockets leave most of the
 * CPU time to the server, which shares the machine.
 */
export async function runOpenLoop(order: OpenLoopOrder): Promise<OpenLoopResult> {
  const { hostname, port } = new URL(order.origin);
  const requests = order.requests.map((text) => Buffer.from(text));
  const total = Math.floor(order.perSecond * order.seconds);
  const latenciesMs: number[] = [];
  const lagsMs: number[] = [];
  const idle: Connection[] = [];
  const open = new Set<Connection>();
  let failures = 0;
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });

  const settle = (connection: Connection, succeeded: boolean) => {
    if (succeeded) latenciesMs.push(performance.now() - (connection.dueMs as number));
    else failures += 1;
    connection.dueMs = null;
    if (latenciesMs.length + failures === total) finish();
  };
  const openConnection = (): Connection => {
    if (open.size >= MAX_CONNECTIONS) throw new Error(`${MAX_CONNECTIONS} requests are open: the server is stuck`);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const connection: Connection = { socket, dueMs: null, received: Buffer.alloc(0) };
    open.add(connection);
    socket.on('data', (chunk) => {
      connection.received = connection.received.length === 0 ? chunk : Buffer.concat([connection.received, chunk]);
      const response = readResponse(connection.received);
      if (response === null) return;
      connection.received = Buffer.alloc(0);
      settle(connection, response.status < 400);
      if (response.closes) socket.destroy();
      else idle.push(connection);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      open.delete(connection);
      const at = idle.indexOf(connection);
      if (at !== -1) idle.splice(at, 1);
      if (connection.dueMs !== null) settle(connection, false);
    });
    return connection;
  };

  await Promise.all(
    Array.from({ length: OPEN_AT_START }, async () => {
      const connection = openConnection();
      await new Promise((resolve, reject) => {
        connection.socket.once('connect', resolve);
        connection.socket.once('error', reject);
      });
      idle.push(connection);
    }),
  );
  const startMs = performance.now();
  let sent = 0;
  const sendDue = () => {
    const nowMs = performance.now();
    for (; sent < total; sent += 1) {
      const dueMs = startMs + (sent * 1000) / order.perSecond;
      if (dueMs > nowMs) break;
      const connection = idle.pop() ?? openConnection();
      connection.dueMs = dueMs;
      lagsMs.push(nowMs - dueMs);
      connection.socket.write(requests[sent % requests.length] as Buffer);
    }
    if (sent < total) setTimeout(sendDue, 1);
  };
  sendDue();
  await finished;
  for (const { socket } of open) socket.destroy();
  return { latenciesMs, lagsMs, failures };
}

/** The head of a complete response, or null. Both servers send a length. */
function readResponse(bytes: Buffer): { status: number; closes: boolean } | null {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd === -1) return null;
  const head = bytes.toString('latin1', 0, headEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`a response has no length:\n${head}`);
  if (bytes.length < headEnd + HEAD_END.length + Number(length)) return null;
  return { status: Number(head.slice(9, 12)), closes: /\r\nconnection: *close/i.test(head) };
}
