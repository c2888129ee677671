import { type Db, statement, type Tx } from '../../platform/db.ts';

const OPERATOR = statement(
  'desk_operator',
  `SELECT p.two_factor_enabled AS "twoFactor" FROM desk_operator o JOIN person p ON p.id = o.person_id WHERE o.person_id = $1`,
);

export async function findOperatorRow(db: Db, personId: string): Promise<{ twoFactor: boolean } | null> {
  const [row] = await db.query<{ twoFactor: boolean }>(OPERATOR, [personId]);
  return row ?? null;
}

const ADD_OPERATOR = statement(
  'add_desk_operator',
  'INSERT INTO desk_operator (person_id) VALUES ($1) ON CONFLICT DO NOTHING RETURNING person_id',
);
const REMOVE_OPERATOR = statement(
  'remove_desk_operator',
  'DELETE FROM desk_operator WHERE person_id = $1 RETURNING person_id',
);

/** False if the person is one already, or is none. */
export async function putOperator(tx: Tx, { personId, operator }: { personId: string; operator: boolean }) {
  return (await tx.query(operator ? ADD_OPERATOR : REMOVE_OPERATOR, [personId])).length > 0;
}

export interface OperatorRow {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly twoFactor: boolean;
  readonly since: Date;
}

const OPERATORS = statement(
  'desk_operators',
  `SELECT p.id, p.email, p.name, p.two_factor_enabled AS "twoFactor", o.created_at AS since
   FROM desk_operator o JOIN person p ON p.id = o.person_id ORDER BY o.created_at, o.person_id LIMIT $1`,
);

export function findOperators(db: Db, limit: number): Promise<OperatorRow[]> {
  return db.query<OperatorRow>(OPERATORS, [limit]);
}

const EMAILS = statement('emails_of_people', 'SELECT id, email FROM person WHERE id = ANY ($1::uuid[])');

export function findEmails(db: Db, ids: readonly string[]): Promise<{ id: string; email: string }[]> {
  return db.query<{ id: string; email: string }>(EMAILS, [ids]);
}

// A person's accounts of both modes.
const ACCOUNTS_OF_PERSON = statement(
  'accounts_of_person',
  `SELECT a.id FROM person p JOIN membership m ON m.person_id = p.id JOIN account a ON a.owner_id = m.pair_id
   WHERE p.email = $1 ORDER BY a.id DESC LIMIT $2`,
);

export async function findAccountsOfPerson(
  db: Db,
  { email, limit }: { email: string; limit: number },
): Promise<string[]> {
  return (await db.query<{ id: string }>(ACCOUNTS_OF_PERSON, [email, limit])).map(({ id }) => id);
}
