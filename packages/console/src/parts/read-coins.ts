/** Coins as a person types them: null for nothing, undefined for what is no whole number from 1. Separators of thousands are allowed. */
export function readCoins(text: string): number | null | undefined {
  const digits = text.trim().replaceAll(/[\s,.]/g, '');
  if (digits === '') return null;
  const coins = Number(digits);
  return Number.isSafeInteger(coins) && coins >= 1 ? coins : undefined;
}
