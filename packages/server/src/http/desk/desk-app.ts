import { consoleOperations } from '@atelier/contract/console';
import { type DeskOperationId, type DeskOperationRow, deskOperations } from '@atelier/contract/desk';
import type { FastifyInstance } from 'fastify';
import { recordAudit } from '../../domain/operator/record-audit.ts';
import { withTx } from '../../platform/db.ts';
import type { SessionContext } from '../console/admit-session.ts';
import { bindSessionOperation, type SessionBinding } from '../console/bind-session-operation.ts';
import type { SignedIn } from '../console/identity.ts';
import { describeSession } from '../console/routes/session.ts';
import { createSessionApp, type SessionAppOptions } from '../console/session-app.ts';
import type { KnownPath } from '../server/refuse-early.ts';
import { admitOperator } from './admit-operator.ts';
import type { DeskHandler, DeskInput, DeskServices } from './desk-handler.ts';
import { deskHandlers } from './routes.ts';

export interface DeskAppOptions
  extends Omit<SessionAppOptions, 'services'>,
    Omit<SessionContext, 'services'>,
    Pick<SessionBinding, 'checkResponses'> {
  readonly services: DeskServices;
}

/** Ids alone: what an operator searched for may be the name or the address of a person. */
function recordRead(
  { db }: Pick<DeskServices, 'db'>,
  operation: DeskOperationId,
  { actor, params }: DeskInput<DeskOperationId>,
): Promise<void> {
  const { accountId = null } = (params ?? {}) as { accountId?: string };
  return withTx(db, (tx) => recordAudit(tx, { actor, action: 'desk.read', accountId, detail: { operation } }));
}

const DESK_PATHS: readonly KnownPath[] = [...Object.values(deskOperations), consoleOperations.getSession];

/** The operator's desk: its pages, sign-in and operations. Of the console it has one operation: who is signed in. */
export async function createDeskApp(options: DeskAppOptions): Promise<FastifyInstance> {
  const { services, checkResponses } = options;
  return createSessionApp(options, DESK_PATHS, (app, bodyDeadlines) => {
    for (const [id, handler] of Object.entries(deskHandlers) as Array<
      [DeskOperationId, DeskHandler<DeskOperationId>]
    >) {
      const row: DeskOperationRow = deskOperations[id];
      bindSessionOperation(app, {
        id,
        row,
        bodyDeadlines,
        checkResponses,
        admit: (request, reply) => admitOperator(options, request, reply, { fresh: row.fresh === true }),
        call: async (given) => {
          const input = given as unknown as DeskInput<DeskOperationId>;
          const answer = await handler(services, input);
          if (row.personal === true) await recordRead(services, id, input);
          return answer;
        },
      });
    }
    bindSessionOperation(app, {
      id: 'getSession',
      row: consoleOperations.getSession,
      bodyDeadlines,
      checkResponses,
      admit: (request, reply) => admitOperator(options, request, reply, { fresh: false }),
      call: async ({ signedIn }) =>
        describeSession(signedIn as SignedIn, { memberships: [], apiUrl: services.publicUrl }),
    });
  });
}
