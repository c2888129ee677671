import type { QuoteResponse } from '@atelier/contract';

/** The same response on both sides. */
export const answer: QuoteResponse = {
  modelId: 'canvas',
  coins: 14,
  coinsPerOutput: 7,
  outputs: 2,
  quoteToken: `q1.abcd.${'a'.repeat(220)}.${'b'.repeat(43)}`,
  expiresAt: '2026-01-01T00:10:00.000Z',
  availability: { state: 'open', reason: null },
  availableCoins: 1_000_000,
  lines: [{ label: 'each output', coins: 7 }],
};
