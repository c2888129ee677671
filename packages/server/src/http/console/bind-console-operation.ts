import { type ConsoleOperationId, type ConsoleOperationRow, consoleOperations } from '@atelier/contract/console';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { refuseWhileReadOnly } from '../../domain/operator/switch-board.ts';
import { admitMember, admitPersonWithin, type SessionContext } from './admit-session.ts';
import { bindSessionOperation, type SessionBinding } from './bind-session-operation.ts';
import type { ConsoleHandler, ConsoleInput, ConsoleServices } from './console-handler.ts';
import type { SignedIn } from './identity.ts';
import { refuseCrossSite } from './refuse-cross-site.ts';

export interface ConsoleContext extends SessionContext, Pick<SessionBinding, 'bodyDeadlines' | 'checkResponses'> {
  readonly services: ConsoleServices;
}

/** Binds one row of the console's table to its handler: session, membership, role, validation, then the handler. */
export function bindConsoleOperation<K extends ConsoleOperationId>(
  app: FastifyInstance,
  context: ConsoleContext,
  id: K,
  handler: ConsoleHandler<K>,
): void {
  const row: ConsoleOperationRow = consoleOperations[id];
  const { bodyDeadlines, checkResponses } = context;
  bindSessionOperation(app, {
    id,
    row,
    bodyDeadlines,
    checkResponses,
    async admit(request, reply) {
      const signedIn = await admit(context, row, { request, reply });
      if (row.method !== 'GET') refuseWhileReadOnly(context.services.switches.current());
      return signedIn;
    },
    call: (input) => handler(context.services, input as unknown as ConsoleInput<K>),
  });
}

async function admit(
  context: ConsoleContext,
  { roles, fresh, public: isPublic }: ConsoleOperationRow,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<SignedIn | null> {
  if (isPublic === true) {
    reply.header('cache-control', 'no-store');
    refuseCrossSite(request, { origin: context.origin });
    return null;
  }
  if (roles === null) return admitPersonWithin(context, request, reply);
  return (await admitMember(context, request, reply, { roles, fresh: fresh === true })).signedIn;
}
