import { createHmac } from 'node:crypto';

/** A code is accepted one step early or late, and once. */
export const STEP_MS = 30_000;

/** RFC 6238 with the usual parameters, from the URI that an authenticator app would scan. */
export function computeTotp(uri: string, atMs = Date.now()): string {
  const secret = decodeBase32(new URL(uri).searchParams.get('secret') as string);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(atMs / STEP_MS)));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const number = digest.readUInt32BE((digest.at(-1) as number) & 0x0f) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

export function decodeBase32(text: string): Buffer {
  const bits = [...text.replaceAll('=', '')]
    .map((each) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(each).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
