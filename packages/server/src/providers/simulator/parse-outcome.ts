import { FAILURE_CODES, type FailureCode } from '@atelier/contract';

/** How a simulated generation ends, as its prompt requests. */
export type Outcome =
  | { readonly kind: 'ok'; readonly delayMs: number }
  | { readonly kind: 'fail'; readonly code: FailureCode }
  | { readonly kind: 'partial'; readonly outputs: number }
  | { readonly kind: 'hold' };

export const MAX_DELAY_MS = 10 * 60_000;
/** More than any model offers, so the extras still reach the caller and are dropped there. */
export const MAX_PARTIAL_OUTPUTS = 16;

const COMMAND = /^sim:(ok|fail|partial|hold)(?::([a-z_]+|\d+))?$/;
const DIGITS = /^\d+$/;
const QUICK_SUCCESS: Outcome = { kind: 'ok', delayMs: 0 };

/** A prompt that is not a whole, well-formed command is an ordinary prompt, and those succeed at once. */
export function parseOutcome(prompt: string): Outcome {
  const match = COMMAND.exec(prompt.trim());
  if (match === null) return QUICK_SUCCESS;
  const [, verb, argument] = match;
  if (verb === 'hold') return argument === undefined ? { kind: 'hold' } : QUICK_SUCCESS;
  if (argument === undefined) return QUICK_SUCCESS;
  if (verb === 'fail') return isFailureCode(argument) ? { kind: 'fail', code: argument } : QUICK_SUCCESS;
  if (!DIGITS.test(argument)) return QUICK_SUCCESS;
  const count = Number(argument);
  return verb === 'partial'
    ? { kind: 'partial', outputs: Math.min(count, MAX_PARTIAL_OUTPUTS) }
    : { kind: 'ok', delayMs: Math.min(count, MAX_DELAY_MS) };
}

function isFailureCode(text: string): text is FailureCode {
  return FAILURE_CODES.some((code) => code === text);
}
