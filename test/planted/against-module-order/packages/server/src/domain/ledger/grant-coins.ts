import { createAccount } from '../accounts/create-account.ts';

export const grantCoins = (): null => createAccount();
