import type { Scope } from '@atelier/contract';
import { type Db, statement, type Tx } from '../../platform/db.ts';

export interface PairingRow {
  readonly userCode: string;
  readonly deviceName: string;
  readonly scopes: readonly Scope[];
  readonly monthlyCap: number | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export interface ApprovedPairing extends PairingRow {
  readonly approvedBy: string;
  readonly accountId: string;
}

const COLUMNS = `user_code AS "userCode", device_name AS "deviceName", scopes, monthly_cap AS "monthlyCap",
  created_at AS "createdAt", expires_at AS "expiresAt"`;
/** A decided pairing is not found by its code any more. */
const UNDECIDED = 'user_code = $1 AND denied_at IS NULL AND approved_at IS NULL AND expires_at > now()';

const INSERT_PAIRING = statement(
  'insert_pairing',
  `INSERT INTO pairing (secret_hash, user_code, device_name, scopes, monthly_cap, expires_at)
   VALUES ($1, $2, $3, $4, $5, now() + make_interval(mins => $6))
   ON CONFLICT (user_code) DO NOTHING RETURNING expires_at AS "expiresAt"`,
);

/** Null if another pairing has this code. */
export async function insertPairing(
  db: Db,
  pairing: Pick<PairingRow, 'userCode' | 'deviceName' | 'scopes' | 'monthlyCap'> & {
    secretHash: Buffer;
    lifeMinutes: number;
  },
): Promise<Date | null> {
  const [row] = await db.query<{ expiresAt: Date }>(INSERT_PAIRING, [
    pairing.secretHash,
    pairing.userCode,
    pairing.deviceName,
    pairing.scopes,
    pairing.monthlyCap,
    pairing.lifeMinutes,
  ]);
  return row?.expiresAt ?? null;
}

const FIND_PAIRING = statement('find_pairing', `SELECT ${COLUMNS} FROM pairing WHERE ${UNDECIDED}`);

export async function findPairingByCode(db: Db, userCode: string): Promise<PairingRow | null> {
  const [row] = await db.query<PairingRow>(FIND_PAIRING, [userCode]);
  return row ?? null;
}

const APPROVE_PAIRING = statement(
  'approve_pairing',
  `UPDATE pairing SET approved_at = now(), approved_by = $2, account_id = $3, monthly_cap = $4
   WHERE ${UNDECIDED} RETURNING ${COLUMNS}`,
);

export async function markPairingApproved(
  db: Db,
  approval: { userCode: string; personId: string; accountId: string; monthlyCap: number | null },
): Promise<PairingRow | null> {
  const { userCode, personId, accountId, monthlyCap } = approval;
  const [row] = await db.query<PairingRow>(APPROVE_PAIRING, [userCode, personId, accountId, monthlyCap]);
  return row ?? null;
}

const DENY_PAIRING = statement(
  'deny_pairing',
  `UPDATE pairing SET denied_at = now() WHERE ${UNDECIDED} RETURNING ${COLUMNS}`,
);

export async function markPairingDenied(db: Db, userCode: string): Promise<PairingRow | null> {
  const [row] = await db.query<PairingRow>(DENY_PAIRING, [userCode]);
  return row ?? null;
}

const PAIRING_STATUS = statement(
  'pairing_status',
  `SELECT CASE WHEN denied_at IS NOT NULL THEN 'denied' WHEN approved_at IS NOT NULL THEN 'approved' ELSE 'pending' END AS status
   FROM pairing WHERE secret_hash = $1 AND expires_at > now()`,
);

export async function findPairingStatus(db: Db, secretHash: Buffer): Promise<'pending' | 'approved' | 'denied' | null> {
  const [row] = await db.query<{ status: 'pending' | 'approved' | 'denied' }>(PAIRING_STATUS, [secretHash]);
  return row?.status ?? null;
}

const DELETE_OF_ACCOUNT = statement('delete_pairings_of_account', 'DELETE FROM pairing WHERE account_id = $1');

export async function deletePairingsOfAccount(tx: Tx, accountId: string): Promise<void> {
  await tx.query(DELETE_OF_ACCOUNT, [accountId]);
}

/** Of concurrent calls one gets the row; with the rollback of its transaction, the row is back. */
const TAKE_PAIRING = statement(
  'take_pairing',
  `DELETE FROM pairing WHERE secret_hash = $1 AND approved_at IS NOT NULL AND expires_at > now()
   RETURNING ${COLUMNS}, approved_by AS "approvedBy", account_id AS "accountId"`,
);

export async function takeApprovedPairing(tx: Tx, secretHash: Buffer): Promise<ApprovedPairing | null> {
  const [row] = await tx.query<ApprovedPairing>(TAKE_PAIRING, [secretHash]);
  return row ?? null;
}
