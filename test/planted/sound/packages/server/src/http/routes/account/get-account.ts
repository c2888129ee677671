import { createAccount } from '../../../domain/accounts/create-account.ts';

export const getAccount = (): number => createAccount();
