import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../platform/problem.ts';

const WINDOW_MS = 10_000;
const MIN_BYTES_PER_WINDOW = 640 * 1024;

/**
 * Runs the work that reads a streamed body. A client that sends less than 64 KB/s over ten seconds is refused, because it
 * only holds the connection. The signal then stops the reading.
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
    slow.abort(new Problem('invalid_params', 'The upload is too slow: the minimum is 64 KB/s.')),
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
    // Unread bytes in the buffer mean that the disk is slow, not the client.
    if (bytesRead - bytesBefore < MIN_BYTES_PER_WINDOW && request.readableLength === 0) onSlow();
    bytesBefore = bytesRead;
  }, WINDOW_MS);
  return () => clearInterval(timer);
}
