import type { FailureCode } from '@atelier/contract';
import { ProviderError } from '../provider.ts';

const NEVER_SENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The backend was unreachable, closed the connection or sent an unreadable response. The message contains no address. */
export class TransportError extends Error {
  override readonly name = 'TransportError';
  /** Whether the backend may have seen the request. */
  readonly sent: boolean;
  constructor(message: string, { sent }: { sent: boolean }) {
    super(message);
    this.sent = sent;
  }

  static of(error: unknown): TransportError {
    const code = String((error as { code?: unknown } | null)?.code ?? '');
    return NEVER_SENT.has(code)
      ? new TransportError('The backend cannot be reached.', { sent: false })
      : new TransportError('The backend closed the connection.', { sent: true });
  }

  static unreadable(): TransportError {
    return new TransportError('The response of the backend is unreadable.', { sent: true });
  }
}

/** The backend could not be reached. Work that it has started may continue. */
export class BackendUnavailable extends ProviderError {
  constructor(code: FailureCode, message: string) {
    super(code, message, { retryable: true });
  }
}
