import { randomBytes } from 'node:crypto';

let pool = randomBytes(0);
let offset = 0;
const POOL_BYTES = 4096;

function takeRandom(length: number): Buffer {
  if (offset + length > pool.length) {
    pool = randomBytes(POOL_BYTES);
    offset = 0;
  }
  offset += length;
  return pool.subarray(offset - length, offset);
}

/** A UUIDv7: ordered by time, so that rows of the same time are stored together and tables can be partitioned by id. */
export function newId(nowMs: number = Date.now()): string {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  takeRandom(10).copy(bytes, 6);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x70;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
