import { grantCoins } from '../domain/ledger/grant-coins.ts';

export const now = (): null => grantCoins();
