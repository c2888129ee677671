import {
  ApiError,
  ConnectionError,
  GenerationCanceledError,
  GenerationFailedError,
  GenerationTimeoutError,
  WebhookVerificationError,
} from '@atelier/sdk';

/** The exit codes, as `atelier help exit-codes` prints them. */
export const EXIT_CODES = {
  0: 'done',
  1: 'the service refused the request, or a webhook is not genuine',
  2: 'wrong usage',
  3: 'the key is missing, invalid or lacks a scope',
  4: 'not enough coins, or the price is above the limit',
  5: 'the generation failed or was canceled',
  6: 'the service cannot be reached, is busy, or did not finish in time: try again',
  130: 'interrupted',
} as const;
export type ExitCode = keyof typeof EXIT_CODES;

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** An interrupt by the user, as the reason of aborted signals. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** The person denied the pairing in the console. */
export class LoginDenied extends Error {
  override readonly name = 'LoginDenied';
}

/** The user declined, or a price is above the limit that the user set. */
export class PriceRefused extends Error {
  override readonly name = 'PriceRefused';
}

const PRICE_CODES = ['max_coins_exceeded', 'price_changed'];

/** Null for an unexpected error. */
export function exitCodeOf(error: unknown): ExitCode | null {
  if (error instanceof Interrupted) return 130;
  if (error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) return 2;
  if (error instanceof LoginDenied) return 3;
  if (error instanceof PriceRefused) return 4;
  if (error instanceof GenerationFailedError || error instanceof GenerationCanceledError) return 5;
  if (error instanceof ConnectionError || error instanceof GenerationTimeoutError) return 6;
  if (error instanceof WebhookVerificationError) return 1;
  if (!(error instanceof ApiError)) return null;
  if (error.status === 401 || error.status === 403) return 3;
  if (error.status === 402 || PRICE_CODES.includes(error.code)) return 4;
  return error.status === 408 || error.status === 429 || error.status >= 500 ? 6 : 1;
}
