import { getAccount as get } from '../../domain/accounts/get-account.ts';
import type { OperationHandler } from '../operation-handler.ts';

export const getAccount: OperationHandler<'getAccount'> = (services, { caller }) => get(services, caller);
