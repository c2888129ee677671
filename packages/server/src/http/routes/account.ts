import { getAccount } from '../../domain/accounts/get-account.ts';
import type { Routes } from '../operation-handler.ts';

export const accountRoutes: Routes<'getAccount'> = {
  getAccount: (services, { caller }) => getAccount(services, caller),
};
