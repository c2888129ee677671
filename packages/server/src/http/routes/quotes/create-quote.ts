import { createQuote as quote } from '../../../domain/quotes/create-quote.ts';
import { announceDeprecation } from '../../announce-deprecation.ts';
import type { OperationHandler } from '../../operation-handler.ts';

export const createQuote: OperationHandler<'createQuote'> = (services, { caller, body, reply }) => {
  announceDeprecation(services, reply, body);
  return quote(services, caller, body);
};
