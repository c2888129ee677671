import { IDEMPOTENCY_KEY_PATTERN, type OperationId, type OperationRow, operations } from '@atelier/contract';
import type { ConsoleOperationId } from '@atelier/contract/console';
import type { DeskOperationId } from '@atelier/contract/desk';
import type { OpenaiOperationId } from '@atelier/contract/openai';
import type { FastifyInstance } from 'fastify';
import { Compile } from 'typebox/compile';
import type { Caller } from '../domain/accounts/caller.ts';
import { refuseWhenSwitchedOff, refuseWhileReadOnly } from '../domain/operator/switch-board.ts';
import type { Services } from '../domain/services.ts';
import { invalidParams, Problem } from '../platform/problem.ts';
import { announceDeprecation } from './announce-deprecation.ts';
import type { Admit } from './auth/admit.ts';
import type { BodyDeadlines } from './body/body-deadlines.ts';
import { createQueryReader, createValidator } from './body/validate.ts';
import type { Input, OperationHandler } from './operation-handler.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    operation?: OperationId | ConsoleOperationId | DeskOperationId | OpenaiOperationId | 'mcp';
    /** The handler reads the bytes of the body itself. */
    raw?: true;
  }
  interface FastifyRequest {
    caller: Caller | null;
  }
}

export interface OperationContext {
  readonly services: Services;
  readonly admit: Admit;
  readonly bodyDeadlines: BodyDeadlines;
  /** Checks every response against the contract's schema; for tests and the sandbox. */
  readonly checkResponses: boolean;
  /** Where the paths of the table are bound; absent for the public API. */
  readonly pathOf?: (path: string) => string;
}

/** Binds one row of the operations table to its handler: admission, guards, validation, then the handler. */
export function bindOperation<K extends OperationId>(
  app: FastifyInstance,
  context: OperationContext,
  id: K,
  handler: OperationHandler<K>,
): void {
  const row: OperationRow = operations[id];
  const validBody = row.body === undefined ? null : createValidator(row.body, 'body');
  const namesModel = 'modelId' in ((row.body as { properties?: object } | undefined)?.properties ?? {});
  const readQuery = createQueryReader(row.query);
  const validParams = row.params === undefined ? null : Compile(row.params);
  const validResponse = context.checkResponses ? Compile(row.response) : null;
  const decode = (body: unknown) => {
    validBody?.(body);
    return body;
  };

  app.route({
    method: row.method,
    url: toRoute(context, row.path),
    config: { operation: id, ...(row.raw === true ? { raw: true } : {}) },
    onRequest: async (request, reply) => {
      const caller = await context.admit(request, reply, id);
      // A replay is a read: an idempotent operation checks these itself, for new requests only.
      if (caller !== null && row.idempotent !== true) refuseClosed(context, caller, row);
      // Any POST may have a body. Multipart bodies have a reader with its own time limit.
      if (row.method === 'POST' && row.multipart !== true) context.bodyDeadlines.expect(request, reply);
    },
    handler: async (request, reply) => {
      context.bodyDeadlines.arrived(request);
      if (validParams !== null && !validParams.Check(request.params)) {
        throw new Problem('not_found', 'Path not found.');
      }
      const query = readQuery(request.query);
      // First, so that refusals and replays carry the headers too.
      if (namesModel) announceDeprecation(context.services, reply, request.body);
      const idempotencyKey =
        row.idempotent === true ? readIdempotencyKey(request.headers['idempotency-key']) : undefined;
      const body = row.idempotent === true ? request.body : decode(request.body);
      const { caller, params } = request;
      const input = { caller, params, query, body, idempotencyKey, decode, request, reply };
      const answer = await handler(context.services, input as unknown as Input<K>);
      if (validResponse !== null && !validResponse.Check(answer)) {
        throw new Error(
          `the response of ${id} does not match its schema: ${JSON.stringify([...validResponse.Errors(answer)].slice(0, 3))}`,
        );
      }
      if (reply.statusCode === 304) return reply.send();
      if (row.idempotent !== true) reply.code(row.status);
      return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
    },
  });
}

/** The path as the router writes it. */
export function toRoute(context: Pick<OperationContext, 'pathOf'>, path: string): string {
  return (context.pathOf?.(path) ?? path).replaceAll(/\{(\w+)\}/g, ':$1');
}

/** The guards that the row names beside the key: the operator's switches and the account's lock. */
export function refuseClosed(
  context: Pick<OperationContext, 'services'>,
  caller: Caller,
  row: Pick<OperationRow, 'switched' | 'locked'> & Partial<Pick<OperationRow, 'method'>>,
): void {
  const switches = context.services.switches.current();
  if (row.switched === true) refuseWhenSwitchedOff(switches, caller.channel);
  else if (row.method !== undefined && row.method !== 'GET') refuseWhileReadOnly(switches);
  if (row.locked === true && caller.locked) {
    throw new Problem(
      'account_locked',
      'This account is locked. You can still read, cancel generations and view the account.',
    );
  }
}

const VALID_IDEMPOTENCY_KEY = new RegExp(IDEMPOTENCY_KEY_PATTERN);

function readIdempotencyKey(header: string | string[] | undefined): string {
  const value = Array.isArray(header) ? header.join(', ') : header;
  if (value === undefined || value === '') {
    throw new Problem(
      'idempotency_key_required',
      'Submits require an Idempotency-Key header, unique per intended generation.',
    );
  }
  if (!VALID_IDEMPOTENCY_KEY.test(value)) {
    throw invalidParams('The request is not valid', [
      { path: 'Idempotency-Key', message: 'must be 16 to 128 letters, digits, _ or -' },
    ]);
  }
  return value;
}
