import { getConcurrency } from '../../domain/accounts/get-concurrency.ts';
import { cancelGeneration } from '../../domain/generations/cancel-generation.ts';
import { isTerminal } from '../../domain/generations/generation-states.ts';
import { getGeneration } from '../../domain/generations/read/get-generation.ts';
import { listGenerations } from '../../domain/generations/read/list-generations.ts';
import { createGeneration } from '../../domain/generations/submit/create-generation.ts';
import type { Routes } from '../operation-handler.ts';

const POLL_INTERVAL_SECONDS = 2;

export const generationRoutes: Routes<
  'createGeneration' | 'listGenerations' | 'getConcurrency' | 'getGeneration' | 'cancelGeneration'
> = {
  async createGeneration(services, { caller, body, decode, idempotencyKey, request, reply }) {
    const traceparent = request.span?.traceparent ?? null;
    const submit = { body, decode, idempotencyKey, traceparent };
    const { generation, replayed } = await createGeneration(services, caller, submit);
    request.generationId = generation.id;
    // 200 marks a replay; the first request returns 201.
    reply.code(replayed ? 200 : 201);
    if (replayed) reply.header('idempotency-replayed', 'true');
    return generation;
  },

  listGenerations: (services, { caller, query }) => listGenerations(services, caller.accountId, query),

  getConcurrency: (services, { caller }) => getConcurrency(services, caller.accountId),

  async getGeneration(services, { caller, params, reply }) {
    const generation = await getGeneration(services, { accountId: caller.accountId, id: params.id });
    if (!isTerminal(generation.status)) reply.header('retry-after', String(POLL_INTERVAL_SECONDS));
    return generation;
  },

  cancelGeneration: (services, { caller, params }) =>
    cancelGeneration(services, { accountId: caller.accountId, id: params.id }),
};
