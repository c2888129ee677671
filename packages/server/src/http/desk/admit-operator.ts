import type { FastifyReply, FastifyRequest } from 'fastify';
import { findOperator } from '../../domain/people/operators.ts';
import { Problem } from '../../platform/problem.ts';
import { admitPersonWithin, type SessionContext } from '../console/admit-session.ts';
import type { SignedIn } from '../console/identity.ts';
import { requireFresh } from '../console/require-session.ts';

/** Session, rate limit, then whether the person is an operator now: one who is removed has no access from then on. */
export async function admitOperator(
  context: SessionContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { fresh }: { fresh: boolean },
): Promise<SignedIn> {
  const signedIn = await admitPersonWithin(context, request, reply);
  if ((await findOperator(context.services, signedIn.personId)) === null) {
    throw new Problem('role_required', 'Only operators may use the desk.');
  }
  if (fresh) requireFresh(context.services.clock, signedIn);
  return signedIn;
}
