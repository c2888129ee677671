import { insertTransfer } from './ledger.store.ts';

export const grantCoins = (): number => insertTransfer();
