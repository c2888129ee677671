import { withTx } from '../../platform/db.ts';
import { recordAudit } from '../operator/record-audit.ts';
import type { Services } from '../services.ts';
import {
  findAccountsOfPerson,
  findEmails,
  findOperatorRow,
  findOperators,
  type OperatorRow,
  putOperator,
} from './operators.store.ts';

const MAX_SHOWN = 200;
const PERSON = /^person ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** Null if the person is no operator. */
export function findOperator(
  services: Pick<Services, 'db'>,
  personId: string,
): Promise<{ readonly twoFactor: boolean } | null> {
  return findOperatorRow(services.db, personId);
}

export function listOperators(services: Pick<Services, 'db'>): Promise<OperatorRow[]> {
  return findOperators(services.db, MAX_SHOWN);
}

/** Lets a person use the operator's desk, or no longer. It applies to their next request. */
export function setOperator(
  services: Pick<Services, 'db'>,
  { personId, operator, actor }: { personId: string; operator: boolean; actor: string },
): Promise<void> {
  return withTx(services.db, async (tx) => {
    if (!(await putOperator(tx, { personId, operator }))) return;
    const action = operator ? 'person.operator_added' : 'person.operator_removed';
    await recordAudit(tx, { actor, action, accountId: null, detail: { personId } });
  });
}

/** The email addresses of those actors of the audit log who are people, by actor. Deleted people are omitted. */
export async function nameActors(
  services: Pick<Services, 'db'>,
  actors: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(actors.flatMap((actor) => PERSON.exec(actor)?.[1] ?? []))];
  if (ids.length === 0) return new Map();
  const rows = await findEmails(services.db, ids);
  return new Map(rows.map(({ id, email }) => [`person ${id}`, email]));
}

/** The accounts that the person with this address belongs to. */
export function listAccountsOfPerson(services: Pick<Services, 'db'>, email: string): Promise<string[]> {
  return findAccountsOfPerson(services.db, { email: email.toLowerCase(), limit: MAX_SHOWN });
}

/** A sign-in at the desk that succeeded. */
export function recordSignIn(
  services: Pick<Services, 'db'>,
  { personId, method }: { personId: string; method: string },
): Promise<void> {
  const entry = {
    actor: `person ${personId}`,
    action: 'operator.signed_in',
    accountId: null,
    detail: { method },
  } as const;
  return withTx(services.db, (tx) => recordAudit(tx, entry));
}
