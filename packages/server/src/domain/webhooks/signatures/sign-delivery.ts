import { createHmac } from 'node:crypto';

export interface SignDeliveryOptions {
  /** One `v1` value for each secret: two during a rotation with overlap, otherwise one. */
  secrets: readonly string[];
  timestampSeconds: number;
  /** The exact bytes of the request. */
  body: Buffer | string;
}

const SECRET_PREFIX = 'whsec_';
const MAX_SECRETS = 4;
const MAX_TIMESTAMP_SECONDS = 999_999_999_999;

/** The value of the signature header: `t=<unix seconds>,v1=<hex>`. The key is the whole secret string, including its prefix. */
export function signDelivery({ secrets, timestampSeconds, body }: SignDeliveryOptions): string {
  if (secrets.length === 0 || secrets.length > MAX_SECRETS) throw new Error('a delivery is signed with 1 to 4 secrets');
  if (!secrets.every((secret) => secret.startsWith(SECRET_PREFIX))) throw new Error('not a signing secret');
  if (!Number.isInteger(timestampSeconds) || timestampSeconds < 0 || timestampSeconds > MAX_TIMESTAMP_SECONDS) {
    throw new Error('the timestamp is not in whole unix seconds');
  }
  const signatures = secrets.map((secret) => {
    const digest = createHmac('sha256', secret).update(`${timestampSeconds}.`).update(body).digest('hex');
    return `,v1=${digest}`;
  });
  return `t=${timestampSeconds}${signatures.join('')}`;
}
