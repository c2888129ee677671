import { Readable } from 'node:stream';
import type { ConsoleOperationId, ConsoleOperationRow } from '@atelier/contract/console';
import type { DeskOperationId } from '@atelier/contract/desk';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Compile } from 'typebox/compile';
import { Problem } from '../../platform/problem.ts';
import { networkOf } from '../auth/count-per-address.ts';
import { toRoute } from '../bind-operation.ts';
import type { BodyDeadlines } from '../body/body-deadlines.ts';
import { createQueryReader, createValidator } from '../body/validate.ts';
import type { ConsoleFile } from './console-handler.ts';
import type { SignedIn } from './identity.ts';

/** What a handler gets, decoded and validated by the row. */
export interface SessionInput {
  /** Undefined if the operation is public. */
  readonly signedIn: SignedIn | undefined;
  /** The person, as the audit log names them. */
  readonly actor: string | undefined;
  readonly accountId: string | undefined;
  readonly network: string;
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface SessionBinding {
  readonly id: ConsoleOperationId | DeskOperationId;
  readonly row: Omit<ConsoleOperationRow, 'roles'>;
  readonly bodyDeadlines: BodyDeadlines;
  /** Checks every response against the contract's schema; for tests and the sandbox. */
  readonly checkResponses: boolean;
  /** Refuses who may not call it. Null if nobody is asked for. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<SignedIn | null>;
  call(input: SessionInput): Promise<unknown>;
}

/** Binds one row of a table for signed-in people: admission, validation, then the handler. */
export function bindSessionOperation(app: FastifyInstance, binding: SessionBinding): void {
  const { id, row, bodyDeadlines } = binding;
  const validBody = row.body === undefined ? refuseFields : createValidator(row.body, 'body');
  const readQuery = createQueryReader(row.query);
  const validParams = row.params === undefined ? null : Compile(row.params);
  const validResponse = binding.checkResponses ? Compile(row.response) : null;
  const admitted = new WeakMap<FastifyRequest, SignedIn>();

  app.route({
    method: row.method,
    url: toRoute({}, row.path),
    config: { operation: id },
    onRequest: async (request, reply) => {
      const signedIn = await binding.admit(request, reply);
      if (signedIn !== null) admitted.set(request, signedIn);
      if (row.method !== 'GET') bodyDeadlines.expect(request, reply);
    },
    handler: async (request, reply) => {
      bodyDeadlines.arrived(request);
      if (validParams !== null && !validParams.Check(request.params)) {
        throw new Problem('not_found', 'Path not found.');
      }
      const query = readQuery(request.query);
      if (row.method !== 'GET') validBody(request.body);
      const signedIn = admitted.get(request);
      const answer = await binding.call({
        signedIn,
        actor: signedIn === undefined ? undefined : `person ${signedIn.personId}`,
        accountId: request.caller?.accountId,
        network: networkOf(request.ip),
        params: request.params,
        query,
        body: request.body,
      });
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
