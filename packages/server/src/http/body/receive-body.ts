import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../platform/problem.ts';

const WINDOW_MS = 10_000;
const MIN_BYTES_PER_WINDOW = 640 * 1024;

/**
 * Runs the work that reads a streamed body. A sender below 64 KB/s over ten seconds, counted from the first byte of the
 * body, is slower than any real line and only holds the connection: it is refused. The signal then ends the reading.
 */
export async function receiveBody<T>(
  request: FastifyRequest,
  receive: (tooSlow: AbortSignal) => Promise<T>,
): Promise<T> {
  const slow = new AbortController();
  const refused = new Promise<never>((_resolve, reject) => {
    slow.signal.addEventListener('abort', () => reject(slow.signal.reason), { once: true });
  });
  const stop = watchRate(request.raw, () =>
    slow.abort(new Problem('invalid_params', 'The body arrives slower than 64 KB/s.')),
  );
  try {
    return await Promise.race([receive(slow.signal), refused]);
  } finally {
    stop();
  }
}

function watchRate(request: IncomingMessage, onSlow: () => void): () => void {
  let bytesBefore = request.socket.bytesRead;
  const timer = setInterval(() => {
    if (request.complete || request.destroyed) {
      clearInterval(timer);
      return;
    }
    const { bytesRead } = request.socket;
    // Bytes that wait here are ours to take: then the disk is slow, not the sender.
    if (bytesRead - bytesBefore < MIN_BYTES_PER_WINDOW && request.readableLength === 0) onSlow();
    bytesBefore = bytesRead;
  }, WINDOW_MS);
  return () => clearInterval(timer);
}
