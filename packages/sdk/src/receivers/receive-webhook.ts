import { WebhookVerificationError } from '../errors.ts';
import { type HeaderSource, type RawBody, type ReceivedEvent, unwrap, type VerifyOptions } from '../verify-webhook.ts';

const MAX_BYTES = 1024 * 1024;

export interface ReceiverOptions extends VerifyOptions {
  /**
   * Called with a verified event. The service retries unless this resolves within ten seconds, so it can be called more
   * than once with one event: deduplicate on its id.
   */
  readonly onEvent: (event: ReceivedEvent) => unknown;
  /** Called if `onEvent` threw. The response is then 500, and the service tries again. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** Larger bodies are refused: 1 MB by default. */
  readonly maxBytes?: number | undefined;
}

export const maxBytesOf = ({ maxBytes = MAX_BYTES }: ReceiverOptions) => maxBytes;

export interface ReceiverAnswer {
  readonly status: 204 | 400 | 413 | 500;
  readonly text: string;
}

export const TOO_LARGE: ReceiverAnswer = { status: 413, text: 'The body is too large' };

/** The same for every framework: 204 if handled, 400 if not genuine, 500 if the handler failed. */
export async function receiveWebhook(
  body: RawBody,
  headers: HeaderSource,
  options: ReceiverOptions,
): Promise<ReceiverAnswer> {
  let event: ReceivedEvent;
  try {
    event = await unwrap(body, headers, options);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError) && !(error instanceof SyntaxError)) throw error;
    return { status: 400, text: error.message };
  }
  try {
    await options.onEvent(event);
    return { status: 204, text: '' };
  } catch (error) {
    options.onError?.(error);
    return { status: 500, text: 'The event could not be handled' };
  }
}

/** Reads at most so many bytes; null if there are more. */
export async function readBody(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Uint8Array | null> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > maxBytes) return null;
    parts.push(chunk);
  }
  const body = new Uint8Array(bytes);
  let offset = 0;
  for (const part of parts) {
    body.set(part, offset);
    offset += part.length;
  }
  return body;
}
