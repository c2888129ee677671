import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { DailyBudget } from '../../domain/generations/submit/create-generation.ts';
import type { Services } from '../../domain/services.ts';
import { invalidParams } from '../../platform/problem.ts';

const HEADER = 'X-Daily-Max-Coins';

/**
 * What the key may spend over MCP on this UTC day: the operator's limit, or a lower one that the client's configuration names.
 * It belongs to the key, so a new session does not renew it. 0: the operator sets none.
 */
export function readBudget(
  { clock }: Pick<Services, 'clock'>,
  { keyId }: Pick<Caller, 'keyId'>,
  { headers, operatorCoins }: { headers: IncomingHttpHeaders; operatorCoins: number },
): DailyBudget | undefined {
  const given = headers[HEADER.toLowerCase()];
  const limits = operatorCoins === 0 ? [] : [operatorCoins];
  if (given !== undefined) {
    if (typeof given !== 'string' || !/^[1-9]\d{0,14}$/.test(given)) {
      throw invalidParams('The request is not valid', [{ path: HEADER, message: 'must be a positive integer' }]);
    }
    limits.push(Number(given));
  }
  if (limits.length === 0) return undefined;
  return { id: `day ${keyId} ${clock.now().toISOString().slice(0, 10)}`, coins: Math.min(...limits) };
}
