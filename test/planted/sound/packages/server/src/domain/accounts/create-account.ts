import { grantCoins } from '../ledger/grant-coins.ts';

export const createAccount = (): number => grantCoins();
