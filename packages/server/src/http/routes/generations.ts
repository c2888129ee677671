import { IDEMPOTENCY_KEY_PATTERN } from '@atelier/contract';
import { createGeneration as submit } from '../../domain/generations/create-generation.ts';
import { Problem } from '../../platform/problem.ts';
import type { OperationHandler } from '../operation-handler.ts';
import { announceDeprecation } from './announce-deprecation.ts';

const VALID_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

export const createGeneration: OperationHandler<'createGeneration'> = async (
  services,
  { caller, body, decode, request, reply },
) => {
  // Before anything is decided, so that a refusal and a replay say it too.
  announceDeprecation(services, reply, body);
  const idempotencyKey = readIdempotencyKey(request.headers['idempotency-key']);
  const { generation, replayed } = await submit(services, caller, { body, decode, idempotencyKey });
  // 200 tells a repeat from the first time, which answers the row's own 201.
  reply.code(replayed ? 200 : 201);
  if (replayed) reply.header('idempotency-replayed', 'true');
  return generation;
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
