import type { FailureCode } from '@atelier/contract';
import { ProviderError } from '../provider.ts';

/** The backend could not be asked. What it has in work may go on all the same. */
export class BackendAway extends ProviderError {
  constructor(code: FailureCode, message: string) {
    super(code, message, { retryable: true });
  }
}
