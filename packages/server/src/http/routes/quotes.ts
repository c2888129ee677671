import { createQuote as quote } from '../../domain/quotes/create-quote.ts';
import type { OperationHandler } from '../operation-handler.ts';
import { announceDeprecation } from './announce-deprecation.ts';

export const createQuote: OperationHandler<'createQuote'> = (services, { caller, body, reply }) => {
  announceDeprecation(services, reply, body);
  return quote(services, caller, body);
};
