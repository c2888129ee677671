import type { IncomingMessage } from 'node:http';

/** Long enough for a sender on an ordinary line to see the answer, short enough not to be worth holding on to. */
const LINGER_MS = 5_000;

/**
 * An answer may come before the body has: a refusal does. What is still on its way is thrown away for a short while,
 * since closing at once would reset the connection and the answer would be lost; then the connection ends.
 */
export function dropBody(request: IncomingMessage): void {
  if (request.complete || request.destroyed) return;
  request.unpipe();
  request.resume();
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
}
