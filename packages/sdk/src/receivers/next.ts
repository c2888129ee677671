import { maxBytesOf, type ReceiverOptions, readBody, receiveWebhook, TOO_LARGE } from './receive-webhook.ts';

/**
 * A handler from a web Request to a Response: `export const POST = createNextReceiver({ ... })` in a route file of Next,
 * and the same in Deno, Bun and edge runtimes.
 */
export function createNextReceiver(options: ReceiverOptions): (request: Request) => Promise<Response> {
  return async (request) => {
    const chunks = (request.body ?? []) as unknown as AsyncIterable<Uint8Array>;
    const body = await readBody(chunks, maxBytesOf(options));
    const { status, text } = body === null ? TOO_LARGE : await receiveWebhook(body, request.headers, options);
    return new Response(status === 204 ? null : text, { status });
  };
}
