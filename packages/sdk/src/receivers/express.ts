import { maxBytesOf, type ReceiverOptions, readBody, receiveWebhook, TOO_LARGE } from './receive-webhook.ts';

interface ExpressRequest extends AsyncIterable<Uint8Array> {
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body?: unknown;
}

interface ExpressResponse {
  status(code: number): { type(type: string): { send(text: string): unknown } };
}

/**
 * `app.post('/hook', createExpressReceiver({ ... }))`. It reads the raw body itself: add it before `express.json()`, or
 * behind `express.raw()`.
 */
export function createExpressReceiver(
  options: ReceiverOptions,
): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const body = await readExpressBody(request, maxBytesOf(options));
      const { status, text } = body === null ? TOO_LARGE : await receiveWebhook(body, request.headers, options);
      response.status(status).type('text/plain').send(text);
    } catch (error) {
      next(error);
    }
  };
}

async function readExpressBody(request: ExpressRequest, maxBytes: number): Promise<Uint8Array | string | null> {
  const { body } = request;
  if (body instanceof Uint8Array || typeof body === 'string') return body;
  if (body !== undefined) {
    throw new TypeError('The body was parsed before the webhook receiver. Add the receiver before express.json().');
  }
  return readBody(request, maxBytes);
}
