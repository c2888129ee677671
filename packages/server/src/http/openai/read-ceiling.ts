import { OpenaiRefusal } from './openai-error.ts';

/** As large as a cap of the console may be. */
const COINS = /^[1-9]\d{0,11}$/;

/** The most that a request may cost: the lower of the header and the cap of the key. One of them is required. */
export function readCeiling(header: string | string[] | undefined, cap: number | null): number {
  if (header === undefined || header === '') {
    if (cap !== null) return cap;
    const issues = [{ path: 'X-Max-Coins', message: 'is required if the API key has no cap per request' }];
    throw new OpenaiRefusal(
      'invalid_params',
      'max_coins_required',
      'This request has no ceiling. Set a cap per request on this API key in the console, or send the header X-Max-Coins with the most coins that the request may cost. Nothing was charged.',
      { issues },
    );
  }
  if (typeof header !== 'string' || !COINS.test(header)) {
    const issues = [{ path: 'X-Max-Coins', message: 'must be a whole number of coins' }];
    throw new OpenaiRefusal('invalid_params', 'invalid_value', 'X-Max-Coins must be a whole number of coins, from 1.', {
      issues,
    });
  }
  return Math.min(Number(header), cap ?? Number.POSITIVE_INFINITY);
}
