import { Problem } from '../../../platform/problem.ts';
import { EgressError } from '../../../platform/safe-fetch/egress-error.ts';
import type { SafeFetch } from '../../../platform/safe-fetch.ts';

/**
 * Asks DNS, so that a mistyped or a private address is told when it is saved rather than at the first delivery. It runs
 * before the transaction that saves, never inside it.
 */
export async function checkEndpointTarget(services: { safeFetch: SafeFetch }, url: string): Promise<void> {
  try {
    await services.safeFetch.checkTarget(url);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    throw new Problem('invalid_params', `The endpoint is refused: ${error.message}`, {
      issues: [{ path: 'url', message: error.message }],
    });
  }
}
