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

/** The backend could not be reached, broke off, or answered what nobody can read. Its text names no address. */
export class TransportFault extends Error {
  override readonly name = 'TransportFault';
  /** Whether the backend may have seen the request. */
  readonly sent: boolean;
  constructor(message: string, { sent }: { sent: boolean }) {
    super(message);
    this.sent = sent;
  }

  static of(error: unknown): TransportFault {
    const code = String((error as { code?: unknown } | null)?.code ?? '');
    return NEVER_SENT.has(code)
      ? new TransportFault('The backend cannot be reached.', { sent: false })
      : new TransportFault('The backend broke off the connection.', { sent: true });
  }

  static garbage(): TransportFault {
    return new TransportFault('The backend answered what cannot be read.', { sent: true });
  }
}

/** The backend could not be asked. What it has in work may go on all the same. */
export class BackendUnavailable extends ProviderError {
  constructor(code: FailureCode, message: string) {
    super(code, message, { retryable: true });
  }
}
