import { canonicalJson, sha256 } from '../../../platform/crypto.ts';
import { withStatementTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Services } from '../../services.ts';
import { claimCall } from './openai-calls.store.ts';

/** How long a retry continues its call. The official clients wait 10 minutes for a response, then retry. */
const RETRY_SECONDS = 900;
/** The same for an identical request of a client that does not count its retries. */
const REPEAT_SECONDS = 60;

/**
 * The idempotency key of a request that has none of its own: the same for all requests of one call (decision 0021). `attempt`
 * is the retry count that the client sent; null if it sent none.
 */
export function claimOpenaiCall(
  services: Pick<Services, 'db'>,
  caller: Pick<Caller, 'accountId' | 'keyId'>,
  request: { readonly body: unknown; readonly attempt: number | null },
): Promise<string> {
  return withStatementTx(services.db, (tx) =>
    claimCall(tx, {
      id: newId(),
      accountId: caller.accountId,
      fingerprint: sha256(canonicalJson([caller.keyId, request.body])),
      attempt: request.attempt,
      retrySeconds: RETRY_SECONDS,
      repeatSeconds: REPEAT_SECONDS,
    }),
  );
}
