import { IDEMPOTENCY_KEY_PATTERN } from '@atelier/contract';
import { getConcurrency } from '../../domain/accounts/get-concurrency.ts';
import { cancelGeneration } from '../../domain/generations/cancel-generation.ts';
import { createGeneration } from '../../domain/generations/create-generation.ts';
import { isTerminal } from '../../domain/generations/generation-states.ts';
import { getGeneration } from '../../domain/generations/get-generation.ts';
import { listGenerations } from '../../domain/generations/list-generations.ts';
import { Problem } from '../../platform/problem.ts';
import type { Routes } from '../operation-handler.ts';
import { announceDeprecation } from './announce-deprecation.ts';

const VALID_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);
const POLL_INTERVAL_SECONDS = 2;

export const generationRoutes: Routes<
  'createGeneration' | 'listGenerations' | 'getConcurrency' | 'getGeneration' | 'cancelGeneration'
> = {
  async createGeneration(services, { caller, body, decode, request, reply }) {
    // First, so that refusals and replays carry the headers too.
    announceDeprecation(services, reply, body);
    const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
    const { generation, replayed } = await createGeneration(services, caller, { body, decode, idempotencyKey });
    // 200 tells a repeat from the first request, which answers 201.
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

function readIdempotencyKey(header: string | string[] | undefined): string {
  const value = Array.isArray(header) ? header.join(', ') : header;
  if (value === undefined || value === '') {
    throw new Problem(
      'idempotency_key_required',
      'Every submit needs an Idempotency-Key header, unique per intended generation.',
    );
  }
  if (!VALID_KEY.test(value)) {
    throw new Problem('invalid_params', 'The Idempotency-Key is not valid.', {
      issues: [{ path: 'Idempotency-Key', message: 'must be 16 to 128 letters, digits, _ or -' }],
    });
  }
  return value;
}
