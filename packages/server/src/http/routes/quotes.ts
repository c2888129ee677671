import { createQuote } from '../../domain/quotes/create-quote.ts';
import type { Routes } from '../operation-handler.ts';

export const quoteRoutes: Routes<'createQuote'> = {
  createQuote: (services, { caller, body }) => createQuote(services, caller, body),
};
