import { statement, type Tx } from '../../../platform/db.ts';

export interface CallClaim {
  readonly id: string;
  readonly accountId: string;
  readonly fingerprint: Buffer;
  readonly attempt: number | null;
  readonly retrySeconds: number;
  readonly repeatSeconds: number;
}

const CLAIM = statement(
  'claim_openai_call',
  `SELECT claim_openai_call(p_id => $1, p_account => $2, p_fingerprint => $3, p_attempt => $4, p_retry_seconds => $5,
     p_repeat_seconds => $6) AS key`,
);

/** The idempotency key of the call that the request belongs to: a new one, or an earlier one. */
export async function claimCall(tx: Tx, claim: CallClaim): Promise<string> {
  const [row] = await tx.query<{ key: string }>(CLAIM, [
    claim.id,
    claim.accountId,
    claim.fingerprint,
    claim.attempt,
    claim.retrySeconds,
    claim.repeatSeconds,
  ]);
  return (row as { key: string }).key;
}
