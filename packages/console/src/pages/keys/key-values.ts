import type { Scope } from '@atelier/contract';
import type { ConsoleKey } from '@atelier/contract/console';
import { readCoins } from '../../parts/read-coins.ts';

/** A key as its form holds it: text, until it is checked. */
export interface KeyValues {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly cap: string;
  readonly requestCap: string;
  /** A day, as a date input gives it. */
  readonly expiresOn: string;
}

export const EMPTY_KEY: KeyValues = {
  name: '',
  scopes: ['generate', 'read', 'uploads'],
  cap: '',
  requestCap: '',
  expiresOn: '',
};

export const valuesOf = (key: ConsoleKey): KeyValues => ({
  name: key.name,
  scopes: key.scopes,
  cap: key.monthlySpendCapCoins === null ? '' : String(key.monthlySpendCapCoins),
  requestCap: key.requestCapCoins === null ? '' : String(key.requestCapCoins),
  expiresOn: key.expiresAt === null ? '' : key.expiresAt.slice(0, 10),
});

export type KeyMistake = 'needName' | 'needScope' | 'badCap' | 'badDay';
export interface KeyMistakes {
  name?: KeyMistake;
  scopes?: KeyMistake;
  cap?: KeyMistake;
  requestCap?: KeyMistake;
  expiresOn?: KeyMistake;
}

export interface KeyBody {
  name: string;
  scopes: Scope[];
  monthlySpendCapCoins: number | null;
  requestCapCoins: number | null;
  expiresAt: string | null;
}

/** The body of the request, or what is wrong. A key expires at the end of the chosen day. */
export function readKeyValues(values: KeyValues, nowMs: number): { body: KeyBody } | { mistakes: KeyMistakes } {
  const name = values.name.trim();
  const cap = readCoins(values.cap);
  const requestCap = readCoins(values.requestCap);
  const expiresAt = values.expiresOn === '' ? null : `${values.expiresOn}T23:59:59.000Z`;
  const mistakes: KeyMistakes = {
    ...(name === '' ? { name: 'needName' as const } : {}),
    ...(values.scopes.length === 0 ? { scopes: 'needScope' as const } : {}),
    ...(cap === undefined ? { cap: 'badCap' as const } : {}),
    ...(requestCap === undefined ? { requestCap: 'badCap' as const } : {}),
    ...(expiresAt !== null && !(Date.parse(expiresAt) > nowMs) ? { expiresOn: 'badDay' as const } : {}),
  };
  if (cap === undefined || requestCap === undefined || Object.keys(mistakes).length > 0) return { mistakes };
  return {
    body: { name, scopes: [...values.scopes], monthlySpendCapCoins: cap, requestCapCoins: requestCap, expiresAt },
  };
}
