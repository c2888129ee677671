import { isSealedByKnownKey, unseal } from '../../../platform/crypto.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Services } from '../../services.ts';
import { findLastSentRequest, findSentRequests, type SentRequestRow } from '../deliveries/deliveries.store.ts';
import { getEndpoint } from '../endpoints/read-endpoints.ts';
import { findAccountSecrets } from '../endpoints/sealed-secrets.store.ts';
import { explainSignature, type SignatureExplanation } from './explain-signature.ts';
import { parseSignatureHeader, verifySignature } from './verify-signature.ts';

/** How many of the newest deliveries are searched for the pasted header. */
const MAX_DELIVERIES = 1_000;
const MAX_CANDIDATES = 20;

export interface PastedSignature {
  readonly accountId: string;
  readonly endpointId: string;
  readonly header: string;
  readonly body: string;
  readonly deliveryId?: string;
  readonly secret?: string;
  readonly computedSignature?: string;
  readonly receivedAt?: string;
}

export interface EndpointExplanation extends SignatureExplanation {
  /** The recorded attempt that was compared; null if only the pasted values were checked. */
  comparedWith: { deliveryId: string; round: number; n: number } | null;
}

/**
 * Explains why a receiver refuses a delivery of this endpoint, from what its developer pastes. Failed attempts are recorded
 * as they were sent; if the header is of one, the exact bytes are compared.
 */
export async function explainEndpointSignature(
  services: Pick<Services, 'db' | 'keys'>,
  pasted: PastedSignature,
): Promise<EndpointExplanation> {
  const { accountId, endpointId } = pasted;
  await getEndpoint(services, pasted);
  const { keys } = services;
  const secrets = (await findAccountSecrets(services.db, accountId))
    .filter(({ sealed }) => isSealedByKnownKey(keys, sealed))
    .map((row) => ({ of: row.endpointId, secret: unseal({ keys, sealed: row.sealed, rowId: row.endpointId }) }));
  const secret = secrets.find(({ of }) => of === endpointId)?.secret;
  if (secret === undefined) throw new Problem('invalid_params', 'The signing secret cannot be opened. Rotate it.');
  const sent = await findSent(services, pasted);
  const explained = explainSignature({
    secret,
    otherSecrets: secrets.filter(({ of }) => of !== endpointId).map((other) => other.secret),
    sentHeader: sent?.signature ?? pasted.header.trim(),
    sentBody: sent?.body ?? pasted.body,
    receivedHeader: pasted.header,
    receivedBody: pasted.body,
    ...(pasted.secret === undefined ? {} : { receivedSecret: pasted.secret }),
    ...(pasted.computedSignature === undefined ? {} : { computedSignature: pasted.computedSignature }),
    ...(pasted.receivedAt === undefined ? {} : { receiverNowSeconds: Date.parse(pasted.receivedAt) / 1000 }),
  });
  if (sent !== null) {
    const { deliveryId, round, n } = sent;
    return { ...explained, comparedWith: { deliveryId, round, n } };
  }
  return { ...describeUnknown(explained, { secret, pasted }), comparedWith: null };
}

async function findSent(services: Pick<Services, 'db'>, pasted: PastedSignature): Promise<SentRequestRow | null> {
  const { accountId, endpointId, deliveryId } = pasted;
  if (deliveryId !== undefined) return findLastSentRequest(services.db, { accountId, deliveryId });
  const parsed = parseSignatureHeader(pasted.header.trim());
  if (parsed === null) return null;
  const found = await findSentRequests(services.db, {
    accountId,
    endpointId,
    timestamp: parsed.timestamp,
    deliveries: MAX_DELIVERIES,
    limit: MAX_CANDIDATES,
  });
  const isPasted = ({ signature }: SentRequestRow) =>
    parseSignatureHeader(signature)?.signatures.some((value) => parsed.signatures.includes(value)) === true;
  return found.find(isPasted) ?? null;
}

/** Without the bytes that were sent, a header that does not fit the body may have several causes. */
function describeUnknown(
  explained: SignatureExplanation,
  { secret, pasted }: { secret: string; pasted: PastedSignature },
): SignatureExplanation {
  const header = pasted.header.trim();
  const nowSeconds = Number(parseSignatureHeader(header)?.timestamp);
  const fits = verifySignature({ secret, header, body: pasted.body, nowSeconds }).ok;
  if (fits || parseSignatureHeader(header) === null || explained.verdict !== 'unexplained') return explained;
  const sentence =
    'The header is not signed with the current secret over this body. Either the body is not byte for byte the one that arrived, or the secret was rotated since. Only failed attempts are recorded: paste the header of one, or send a test event.';
  return { verdict: 'unexplained', sentence, findings: [{ verdict: 'unexplained', sentence }] };
}
