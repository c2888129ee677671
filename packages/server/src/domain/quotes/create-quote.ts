import { type CreateQuoteBody, QUOTE_LIFE_SECONDS, type QuoteResponse } from '@atelier/contract';
import type { Caller } from '../accounts/caller.ts';
import { getAvailableCoins } from '../accounts/get-available-coins.ts';
import type { Services } from '../services.ts';
import { chooseRoute, describeAvailability } from './choose-route.ts';
import { judgeRequest } from './judge-request.ts';
import { hashParams, signQuote } from './quote-token.ts';

/** The exact price of a request. The token is null if it cannot be submitted: a draft, or a closed model. */
export async function createQuote(
  services: Pick<Services, 'db' | 'catalog' | 'keys' | 'switches' | 'offers' | 'clock'>,
  caller: Caller,
  body: CreateQuoteBody,
): Promise<QuoteResponse> {
  const draft = body.draft ?? false;
  const [judged, available] = await Promise.all([
    judgeRequest(services, caller, { modelId: body.modelId, params: body.params, effectId: body.effectId, draft }),
    getAvailableCoins(services, caller.accountId),
  ]);
  const { price } = judged;
  const now = services.clock.now();
  const expiresAt = new Date(now.getTime() + QUOTE_LIFE_SECONDS * 1000);
  const routing = {
    model: judged.model,
    mode: caller.mode,
    switches: services.switches.current(),
    offers: services.offers(),
    at: now,
  };
  const route = chooseRoute(routing);
  const quoteToken =
    draft || route === null
      ? null
      : signQuote(services.keys, {
          accountId: caller.accountId,
          modelId: body.modelId,
          effectId: body.effectId ?? null,
          paramsHash: hashParams(body.params),
          coins: price.coins,
          coinsPerOutput: price.coinsPerOutput,
          outputs: price.outputs,
          pricebookVersion: judged.catalog.version,
          // Rounded up: the token is valid at least as long as the response says.
          expiresAtSeconds: Math.ceil(expiresAt.getTime() / 1000),
        });
  return {
    modelId: body.modelId,
    coins: price.coins,
    coinsPerOutput: price.coinsPerOutput,
    outputs: price.outputs,
    quoteToken,
    expiresAt: expiresAt.toISOString(),
    availableCoins: Math.max(0, available),
    availability: describeAvailability(routing),
    lines: price.lines.map((line) => ({ label: line.label, coins: line.coins })),
  };
}
