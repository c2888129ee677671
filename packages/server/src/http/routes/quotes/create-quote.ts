import { createQuote as quote } from '../../../domain/quotes/create-quote.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const createQuote: OperationHandler<'createQuote'> = (services, { caller, body }) =>
  quote(services, caller, body);
