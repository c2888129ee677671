import { Readable } from 'node:stream';
import { type ConsoleOperationId, type ConsoleOperationRow, consoleOperations } from '@atelier/contract/console';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Compile } from 'typebox/compile';
import type { Caller } from '../../domain/accounts/caller.ts';
import { Problem } from '../../platform/problem.ts';
import { applyRateLimit } from '../auth/admit.ts';
import { toRoute } from '../bind-operation.ts';
import type { BodyDeadlines } from '../body/body-deadlines.ts';
import { createQueryReader, createValidator } from '../body/validate.ts';
import { admitMember, admitPerson, type SessionContext } from './admit-session.ts';
import type { ConsoleFile, ConsoleHandler, ConsoleInput, ConsoleServices } from './console-handler.ts';
import type { SignedIn } from './identity.ts';

export interface ConsoleContext extends SessionContext {
  readonly services: ConsoleServices;
  readonly bodyDeadlines: BodyDeadlines;
  /** Checks every response against the contract's schema; for tests and the sandbox. */
  readonly checkResponses: boolean;
}

/** Requests per minute of one person outside an account. */
const PERSON_RATE_LIMIT = 300;

/** Binds one row of the console's table to its handler: session, membership, role, validation, then the handler. */
export function bindConsoleOperation<K extends ConsoleOperationId>(
  app: FastifyInstance,
  context: ConsoleContext,
  id: K,
  handler: ConsoleHandler<K>,
): void {
  const row: ConsoleOperationRow = consoleOperations[id];
  const { roles } = row;
  const validBody = row.body === undefined ? refuseFields : createValidator(row.body, 'body');
  const readQuery = createQueryReader(row.query);
  const validParams = row.params === undefined ? null : Compile(row.params);
  const validResponse = context.checkResponses ? Compile(row.response) : null;
  const admitted = new WeakMap<FastifyRequest, SignedIn>();

  app.route({
    method: row.method,
    url: toRoute({}, row.path),
    config: { operation: id },
    onRequest: async (request, reply) => {
      if (row.public === true) {
        reply.header('cache-control', 'no-store');
      } else if (roles === null) {
        const signedIn = await admitPerson(context, request, reply);
        await applyRateLimit(context.limiter, personCaller(signedIn), reply);
        admitted.set(request, signedIn);
      } else {
        const member = await admitMember(context, request, reply, { roles, fresh: row.fresh === true });
        admitted.set(request, member.signedIn);
      }
      if (row.method !== 'GET') context.bodyDeadlines.expect(request, reply);
    },
    handler: async (request, reply) => {
      context.bodyDeadlines.arrived(request);
      if (validParams !== null && !validParams.Check(request.params)) {
        throw new Problem('not_found', 'Path not found.');
      }
      const query = readQuery(request.query);
      if (row.method !== 'GET') validBody(request.body);
      const signedIn = admitted.get(request);
      const input = {
        signedIn,
        actor: signedIn === undefined ? undefined : `person ${signedIn.personId}`,
        accountId: request.caller?.accountId,
        params: request.params,
        query,
        body: request.body,
      };
      const answer: unknown = await handler(context.services, input as unknown as ConsoleInput<K>);
      if (row.file === true) return sendFile(reply, answer as ConsoleFile);
      if (validResponse !== null && !validResponse.Check(answer)) {
        throw new Error(
          `the response of ${id} does not match its schema: ${JSON.stringify([...validResponse.Errors(answer)].slice(0, 3))}`,
        );
      }
      return reply.code(row.status).type('application/json; charset=utf-8').send(JSON.stringify(answer));
    },
  });
}

/** A client that takes nothing of a file for this long is disconnected. */
const MAX_STALL_MS = 30_000;

function sendFile(reply: FastifyReply, { name, contentType, text }: ConsoleFile): FastifyReply {
  return reply
    .code(200)
    .type(contentType)
    .header('content-disposition', `attachment; filename="${name}"`)
    .send(Readable.from(disconnectStalled(reply, text)));
}

async function* disconnectStalled(reply: FastifyReply, text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const part of text) {
    const timer = setTimeout(() => reply.raw.destroy(), MAX_STALL_MS);
    try {
      yield part;
    } finally {
      clearTimeout(timer);
    }
  }
}

const checkEmpty = createValidator({ type: 'object', properties: {}, additionalProperties: false }, 'body');

/** An operation without a body schema takes no body, or an empty object. */
function refuseFields(body: unknown): void {
  if (body !== undefined && body !== null) checkEmpty(body);
}

/** The rate window of a person: no account has a person's id. */
function personCaller({ personId }: SignedIn): Caller {
  return {
    accountId: personId,
    mode: 'test',
    locked: false,
    keyId: null,
    scopes: [],
    channel: 'web',
    keyRateLimit: PERSON_RATE_LIMIT,
    accountRateLimit: PERSON_RATE_LIMIT,
  };
}
