import { createHmac } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { bodyChanges, type Change, parseJson } from './body-changes.ts';
import { parseSignatureHeader, SIGNATURE_TOLERANCE_SECONDS, verifySignature } from './verify-signature.ts';

export type SignatureVerdict =
  | 'ok'
  | 'malformed_header'
  | 'other_header'
  | 'wrong_secret'
  | 'changed_body'
  | 'clock'
  | 'wrong_computation'
  | 'unexplained';

export interface SignatureFinding {
  verdict: SignatureVerdict;
  /** For the developer of the receiver. Never contains a secret. */
  sentence: string;
}

export interface SignatureExplanation extends SignatureFinding {
  /** All findings, in the order to fix them. The first one is the verdict. */
  findings: SignatureFinding[];
}

/** What was sent, and what is known about the receiver. More details give a more precise result. */
export interface ExplainSignatureOptions {
  secret: string;
  sentHeader: string;
  sentBody: Buffer | string;
  /** Earlier secrets of this endpoint and secrets of the account's other endpoints. */
  otherSecrets?: readonly string[];
  receivedHeader?: string;
  receivedBody?: Buffer | string;
  receivedSecret?: string;
  receiverNowSeconds?: number;
  /** The value that the receiver computed, in any encoding. */
  computedSignature?: string;
}

/** Explains why a receiver refuses a delivery, by comparing its data with the exact bytes that were sent. */
export function explainSignature(options: ExplainSignatureOptions): SignatureExplanation {
  const findings = [
    explainRecord(options),
    explainHeader(options),
    explainSecret(options),
    explainBody(options),
    explainComputation(options),
    explainClock(options),
  ].filter((finding) => finding !== null);
  const verdict = findings[0] ?? finding('ok', 'The signature is right: header, secret, body and clock all agree.');
  return { ...verdict, findings };
}

function explainRecord({ secret, otherSecrets, sentHeader, sentBody }: ExplainSignatureOptions) {
  const nowSeconds = Number(parseSignatureHeader(sentHeader)?.timestamp);
  const isSignedWith = (key: string) =>
    verifySignature({ secret: key, header: sentHeader, body: sentBody, nowSeconds }).ok;
  if (isSignedWith(secret)) return null;
  if (otherSecrets?.some(isSignedWith)) {
    return finding(
      'wrong_secret',
      'This attempt was signed with an earlier secret. Send it again to sign it with the current one.',
    );
  }
  return finding(
    'unexplained',
    'This attempt was not signed with the current secret. It was probably sent before the secret was rotated: send it again.',
  );
}

function explainHeader({ receivedHeader, sentHeader }: ExplainSignatureOptions) {
  if (receivedHeader === undefined || receivedHeader === sentHeader) return null;
  const header = receivedHeader.trim();
  const received = parseSignatureHeader(header);
  if (received === null) return finding('malformed_header', malformedReason(header));
  const sent = parseSignatureHeader(sentHeader);
  if (received.timestamp === sent?.timestamp && sent.signatures.some((value) => received.signatures.includes(value))) {
    return null;
  }
  return finding(
    'other_header',
    'The header is not the one sent with this attempt. Every attempt is signed anew: take header and body of the same request.',
  );
}

function malformedReason(header: string): string {
  if (header === '')
    return 'The signature header is empty. A proxy may drop it, or the code reads another header name.';
  if (/^["'].*["']$/.test(header)) return 'The signature header is wrapped in quotes. Pass its value without them.';
  if (/^[\w-]+:\s/.test(header)) return 'The header name is part of the value. Pass only what follows the colon.';
  if (/v1=[0-9a-f]*[A-F]/i.test(header) && parseSignatureHeader(header.toLowerCase()) !== null) {
    return 'The signature header was changed to upper case. Use it as it arrives.';
  }
  if (/%3d|%2c/i.test(header)) return 'The signature header is URL-encoded. Use it as it arrives.';
  if (!/(^|,)\s*t=/.test(header))
    return 'The signature header has no "t=" part. Pass the whole header, not only the digest.';
  if (!/(^|,)\s*v1=/.test(header)) return 'The signature header has no "v1=" part. It may be cut at the first comma.';
  if (/v1=[0-9a-f]{0,63}$/.test(header)) return 'The "v1" value is cut short: it must be 64 characters.';
  return 'The signature header is not of the form t=<unix seconds>,v1=<64 hex characters>.';
}

function explainSecret({ receivedSecret, secret, otherSecrets }: ExplainSignatureOptions) {
  if (receivedSecret === undefined || receivedSecret === secret) return null;
  return finding('wrong_secret', secretReason({ given: receivedSecret, secret, otherSecrets: otherSecrets ?? [] }));
}

function secretReason({
  given,
  secret,
  otherSecrets,
}: {
  given: string;
  secret: string;
  otherSecrets: readonly string[];
}) {
  if (given.trim() === '') return 'The receiver has no secret: the setting is empty.';
  if (given.trim() === secret) return 'The secret has a space or a line break around it. Trim it.';
  if (given.trim().replace(/^["']|["']$/g, '') === secret) return 'The secret is wrapped in quotes. Remove them.';
  if (`whsec_${given.trim()}` === secret) return 'The secret lacks its "whsec_" prefix. The key is the whole string.';
  if (given.toLowerCase() === secret.toLowerCase()) return 'Upper and lower case of the secret were changed.';
  if (otherSecrets.includes(given.trim()))
    return 'This secret is an old one or belongs to another endpoint. Use the current secret of this endpoint.';
  if (/_sk_/.test(given)) return 'This is an API key, not a signing secret. A signing secret begins with "whsec_".';
  if (!given.trim().startsWith('whsec_'))
    return 'This is not a signing secret: it must begin with "whsec_" and is used undecoded.';
  // By its length alone: whether the characters so far are right must not be answered, or the secret could be guessed one by one.
  if (given.trim().length < secret.length)
    return `The secret is cut short: it must be ${secret.length} characters, and is ${given.trim().length}.`;
  return 'This is not the current secret of this endpoint. It may have been rotated: the old one stops working at once.';
}

const RAW_BYTES = 'Check the raw bytes of the request, before any JSON parser touches them.';

function explainBody({ receivedBody, sentBody }: ExplainSignatureOptions) {
  if (receivedBody === undefined) return null;
  const sent = Buffer.from(sentBody);
  const received = Buffer.from(receivedBody);
  if (received.equals(sent)) return null;
  const change = bodyChanges(sent.toString()).find(([, body]) => received.equals(body));
  if (change !== undefined) return finding('changed_body', `The body ${change[0]}. ${RAW_BYTES}`);
  if (received.length === 0) return finding('changed_body', `The body is empty: something read it first. ${RAW_BYTES}`);
  if (sent.subarray(0, received.length).equals(received)) {
    return finding(
      'changed_body',
      `The body is cut: ${received.length} of ${sent.length} bytes. Raise the receiver's body limit.`,
    );
  }
  const [sentJson, receivedJson] = [parseJson(sent), parseJson(received)];
  if (receivedJson !== undefined && isDeepStrictEqual(sentJson, receivedJson)) {
    return finding('changed_body', `The body was parsed and written again: same JSON, other bytes. ${RAW_BYTES}`);
  }
  return finding(
    'changed_body',
    'The body is not the one sent with this attempt. Take header and body of the same request.',
  );
}

function explainClock({ receiverNowSeconds, receivedHeader, sentHeader }: ExplainSignatureOptions) {
  const timestamp = (parseSignatureHeader(receivedHeader ?? '') ?? parseSignatureHeader(sentHeader))?.timestamp;
  if (receiverNowSeconds === undefined || timestamp === undefined) return null;
  const offSeconds = Math.round(receiverNowSeconds - Number(timestamp));
  if (Math.abs(offSeconds) <= SIGNATURE_TOLERANCE_SECONDS) return null;
  // A timestamp in milliseconds instead of seconds has three more digits.
  if (receiverNowSeconds > Number(timestamp) * 100) {
    return finding('clock', 'The receiver compares milliseconds with seconds: divide its clock by 1000.');
  }
  const side = offSeconds > 0 ? 'ahead of' : 'behind';
  return finding(
    'clock',
    `The receiver's clock is ${Math.abs(offSeconds)} s ${side} the timestamp; at most ${SIGNATURE_TOLERANCE_SECONDS} s are allowed. Set the clock, or check the request when it arrives.`,
  );
}

function explainComputation(options: ExplainSignatureOptions): SignatureFinding | null {
  const timestamp = parseSignatureHeader(options.sentHeader)?.timestamp;
  if (options.computedSignature === undefined || timestamp === undefined) return null;
  const computed = options.computedSignature.trim().replace(/^(v1|sha256)=/, '');
  const sent = Buffer.from(options.sentBody);
  const bodies: Change[] = [['', sent], ...bodyChanges(sent.toString())];
  for (const [keyMistake, key] of keyChanges(options)) {
    for (const [bodyMistake, body] of bodies) {
      for (const [payloadMistake, prefix] of payloadPrefixes({ timestamp, sent })) {
        const digest = createHmac('sha256', key).update(prefix).update(body).digest();
        const encodingMistake = encodingMistakeOf({ computed, digest });
        if (encodingMistake === null) continue;
        const mistakes = [keyMistake, bodyMistake && `the body ${bodyMistake}`, payloadMistake, encodingMistake].filter(
          (mistake) => mistake !== '',
        );
        if (mistakes.length === 0) return null;
        const verdict = keyMistake ? 'wrong_secret' : bodyMistake ? 'changed_body' : 'wrong_computation';
        return finding(
          verdict,
          `The computed value comes out when ${mistakes.join(' and ')}. The right one is hex HMAC-SHA256 over t + "." + raw body, with the whole secret as key.`,
        );
      }
    }
  }
  return finding(
    'unexplained',
    'The computed value fits none of the usual mistakes. The key is the whole secret; the text is t + "." + raw body.',
  );
}

function keyChanges({ secret, otherSecrets }: ExplainSignatureOptions): Change[] {
  const bare = secret.replace(/^whsec_/, '');
  return [
    ['', Buffer.from(secret)],
    ['the secret lacks its "whsec_" prefix', Buffer.from(bare)],
    ['the secret is base64-decoded', Buffer.from(bare, 'base64')],
    ['the secret ends with a line break', Buffer.from(`${secret}\n`)],
    ['the secret is wrapped in quotes', Buffer.from(`"${secret}"`)],
    ['the secret is empty', Buffer.alloc(0)],
    ...(otherSecrets ?? []).map(
      (other): Change => ['an old secret or that of another endpoint is used', Buffer.from(other)],
    ),
  ];
}

function payloadPrefixes({
  timestamp,
  sent,
}: {
  timestamp: string;
  sent: Buffer;
}): [mistake: string, prefix: string][] {
  const id = (parseJson(sent) as { id?: unknown } | undefined)?.id;
  return [
    ['', `${timestamp}.`],
    ['the body is signed without "t."', ''],
    ['the dot after t is missing', timestamp],
    ['"t=" is part of the signed text', `t=${timestamp}.`],
    ['the event id is part of the signed text', `${String(id)}.${timestamp}.`],
  ];
}

function encodingMistakeOf({ computed, digest }: { computed: string; digest: Buffer }): string | null {
  if (computed === digest.toString('hex')) return '';
  if (computed.toLowerCase() === digest.toString('hex')) return 'the digest is written in upper case';
  if (computed === digest.toString('base64') || computed === digest.toString('base64url'))
    return 'the digest is written as base64';
  return null;
}

function finding(verdict: SignatureVerdict, sentence: string): SignatureFinding {
  return { verdict, sentence };
}
