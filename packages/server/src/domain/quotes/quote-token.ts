import type { ParamValues } from '@atelier/contract';
import { canonicalJson, type KeyRing, sha256 } from '../../platform/crypto.ts';
import { openToken, signToken } from '../../platform/signed-token.ts';

/** The terms of a quote: the token is a price lock, not a reservation, so it has no row. */
export interface QuoteTerms {
  readonly accountId: string;
  readonly modelId: string;
  readonly effectId: string | null;
  readonly paramsHash: string;
  readonly coins: number;
  readonly coinsPerOutput: number;
  readonly outputs: number;
  readonly pricebookVersion: string;
  readonly expiresAtSeconds: number;
}

const PREFIX = 'q1';

/** In the order of QuoteTerms: an array keeps the token short. */
type Payload = [string, string, string | null, string, number, number, number, string, number];

export function hashParams(params: ParamValues): string {
  return sha256(canonicalJson(params)).toString('base64url');
}

export function signQuote(keys: KeyRing, terms: QuoteTerms): string {
  const payload: Payload = [
    terms.accountId,
    terms.modelId,
    terms.effectId,
    terms.paramsHash,
    terms.coins,
    terms.coinsPerOutput,
    terms.outputs,
    terms.pricebookVersion,
    terms.expiresAtSeconds,
  ];
  return signToken({ keys, purpose: 'quote', prefix: PREFIX, payload });
}

export function openQuote(keys: KeyRing, token: string): QuoteTerms | null {
  const payload = openToken({ keys, purpose: 'quote', prefix: PREFIX, token }) as Payload | null;
  if (payload === null) return null;
  const [accountId, modelId, effectId, paramsHash, coins, coinsPerOutput, outputs, pricebookVersion, expiresAtSeconds] =
    payload;
  return {
    accountId,
    modelId,
    effectId,
    paramsHash,
    coins,
    coinsPerOutput,
    outputs,
    pricebookVersion,
    expiresAtSeconds,
  };
}
