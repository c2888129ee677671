import { createQuote } from '../../domain/quotes/create-quote.ts';
import type { Routes } from '../operation-handler.ts';
import { announceDeprecation } from './announce-deprecation.ts';

export const quoteRoutes: Routes<'createQuote'> = {
  createQuote(services, { caller, body, reply }) {
    announceDeprecation(services, reply, body);
    return createQuote(services, caller, body);
  },
};
