import { AtelierError } from './api-error.ts';
import type { Generation } from './schemas.ts';

/** No complete response arrived: the network failed, or the response was cut off. */
export class ConnectionError extends AtelierError {
  override get name(): string {
    return 'ConnectionError';
  }
}

/** One attempt took longer than `timeoutMs`. */
export class RequestTimeoutError extends ConnectionError {
  override get name(): string {
    return 'RequestTimeoutError';
  }
}

class GenerationError extends AtelierError {
  readonly generation: Generation;

  constructor(message: string, generation: Generation) {
    super(message);
    this.generation = generation;
  }
}

/** The generation failed. Its coins were refunded. */
export class GenerationFailedError extends GenerationError {
  readonly code: string;

  constructor(generation: Generation) {
    const code = generation.error?.code ?? 'internal';
    super(generation.error?.message ?? `Generation ${generation.id} failed: ${code}`, generation);
    this.code = code;
  }

  override get name(): string {
    return 'GenerationFailedError';
  }
}

/** The generation was canceled. Its coins were released. */
export class GenerationCanceledError extends GenerationError {
  constructor(generation: Generation) {
    super(`Generation ${generation.id} was canceled`, generation);
  }

  override get name(): string {
    return 'GenerationCanceledError';
  }
}

/** The generation did not end within `timeoutMs`. It is still queued or processing: wait again, or cancel it. */
export class GenerationTimeoutError extends GenerationError {
  constructor(generation: Generation, timeoutMs: number) {
    super(`Generation ${generation.id} is still ${generation.status} after ${timeoutMs / 1000} s`, generation);
  }

  override get name(): string {
    return 'GenerationTimeoutError';
  }
}

/** The request is not a genuine webhook: do not act on it. */
export class WebhookVerificationError extends AtelierError {
  override get name(): string {
    return 'WebhookVerificationError';
  }
}
