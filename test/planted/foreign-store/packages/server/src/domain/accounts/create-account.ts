import { insertTransfer } from '../ledger/ledger.store.ts';

export const createAccount = (): null => insertTransfer();
