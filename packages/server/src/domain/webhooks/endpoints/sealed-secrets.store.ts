import { type Db, statement, type Tx } from '../../../platform/db.ts';

// Reads all accounts by primary key: for the operator's command only, never for a request.
const FIND_SEALED = statement(
  'find_sealed_secrets',
  `SELECT id AS "endpointId", secret_sealed AS sealed FROM webhook_endpoint
   WHERE status <> 'deleted' AND ($1::uuid IS NULL OR id > $1) ORDER BY id LIMIT $2`,
);

export function findSealedSecrets(
  db: Db,
  page: { afterId: string | null; limit: number },
): Promise<Array<{ endpointId: string; sealed: string }>> {
  return db.query(FIND_SEALED, [page.afterId, page.limit]);
}

const ACCOUNT_SECRETS = statement(
  'sealed_secrets_of_account',
  `SELECT id AS "endpointId", secret_sealed AS sealed FROM webhook_endpoint WHERE account_id = $1 AND status <> 'deleted'`,
);

export function findAccountSecrets(db: Db, accountId: string): Promise<Array<{ endpointId: string; sealed: string }>> {
  return db.query(ACCOUNT_SECRETS, [accountId]);
}

// `updated_at` stays: neither the secret nor the subscription changed.
const REPLACE_SEALED = statement(
  'replace_sealed_secret',
  'UPDATE webhook_endpoint SET secret_sealed = $3 WHERE id = $1 AND secret_sealed = $2 RETURNING id',
);

export async function replaceSealedSecret(
  tx: Tx,
  change: { endpointId: string; from: string; to: string },
): Promise<boolean> {
  return (await tx.query(REPLACE_SEALED, [change.endpointId, change.from, change.to])).length > 0;
}
