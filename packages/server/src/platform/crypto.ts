import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

export type KeyPurpose =
  | 'address'
  | 'quote'
  | 'cursor'
  | 'link'
  | 'seal'
  | 'callback'
  | 'identity'
  | 'session'
  | 'program';

/** Keys derived from the operator's master key, one per purpose, so that a signature of one kind is invalid as any other. */
export interface KeyRing {
  /** Short id of the current master key, included in everything signed. */
  readonly kid: string;
  /** The ids of all master keys, the current one first. */
  readonly kids: readonly string[];
  key(purpose: KeyPurpose, kid?: string): Buffer | null;
  /** A digest of each master key. Digests identify keys and do not reveal them. */
  fingerprints(): string[];
}

const MASTER_KEY_BYTES = 32;

/** The first master key signs. All of them verify. */
export function createKeyRing(masterKeys: readonly Buffer[]): KeyRing {
  const rings = new Map<string, Map<KeyPurpose, Buffer>>();
  for (const master of masterKeys) {
    if (master.length !== MASTER_KEY_BYTES) throw new Error(`a master key must have ${MASTER_KEY_BYTES} bytes`);
    rings.set(kidOf(master), new Map());
  }
  const byKid = new Map(masterKeys.map((master) => [kidOf(master), master]));
  const first = masterKeys[0];
  if (first === undefined) throw new Error('at least one master key is required');
  const kid = kidOf(first);
  return {
    kid,
    kids: [...byKid.keys()],
    fingerprints: () => [...byKid.values()].map((master) => derive(master, 'fingerprint').toString('hex')),
    key(purpose, wanted = kid) {
      const derived = rings.get(wanted);
      const master = byKid.get(wanted);
      if (derived === undefined || master === undefined) return null;
      let key = derived.get(purpose);
      if (key === undefined) {
        key = derive(master, purpose);
        derived.set(purpose, key);
      }
      return key;
    },
  };
}

function derive(master: Buffer, purpose: KeyPurpose | 'fingerprint'): Buffer {
  return Buffer.from(hkdfSync('sha256', master, Buffer.alloc(0), `atelier:${purpose}`, 32));
}

function kidOf(master: Buffer): string {
  return createHash('sha256').update('kid').update(master).digest('hex').slice(0, 4);
}

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest();
}

const keyObjects = new WeakMap<Buffer, KeyObject>();

/** The key as a KeyObject. Passing a buffer instead takes ten times as long as the digest itself. */
export function keyObjectOf(key: Buffer): KeyObject {
  let known = keyObjects.get(key);
  if (known === undefined) {
    known = createSecretKey(key);
    keyObjects.set(key, known);
  }
  return known;
}

export function hmacSha256(options: { key: Buffer; data: string | Uint8Array }): Buffer {
  return createHmac('sha256', keyObjectOf(options.key)).update(options.data).digest();
}

/** Compares digests, so that different lengths neither throw nor show in the timing. */
export function equalInConstantTime(options: { a: Uint8Array; b: Uint8Array }): boolean {
  return timingSafeEqual(sha256(options.a), sha256(options.b));
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with the row's id as associated data: a sealed value moved to another row cannot be opened. */
export function seal(options: { keys: KeyRing; plaintext: string; rowId: string }): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', requireKey(options.keys, options.keys.kid), nonce);
  cipher.setAAD(Buffer.from(options.rowId));
  const sealed = Buffer.concat([cipher.update(options.plaintext, 'utf8'), cipher.final()]);
  return `s1.${options.keys.kid}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')}`;
}

export function unseal(options: { keys: KeyRing; sealed: string; rowId: string }): string {
  const [version, kid, data] = options.sealed.split('.');
  if (version !== 's1' || kid === undefined || data === undefined) throw new Error('not a sealed value');
  const bytes = Buffer.from(data, 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', requireKey(options.keys, kid), bytes.subarray(0, NONCE_BYTES), {
    // Otherwise a shorter tag, which is easier to guess, would be accepted.
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(options.rowId));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}

/** Whether one of the master keys sealed it. Other damage, such as a changed byte, shows only when it is opened. */
export function isSealedByKnownKey(keys: KeyRing, sealed: string): boolean {
  const kid = sealed.split('.')[1];
  return kid !== undefined && keys.key('seal', kid) !== null;
}

/** Whether the current master key sealed it. */
export function isSealedByFirstKey(keys: KeyRing, sealed: string): boolean {
  return sealed.split('.')[1] === keys.kid;
}

function requireKey(keys: KeyRing, kid: string): KeyObject {
  const key = keys.key('seal', kid);
  if (key === null) throw new Error(`no master key ${kid} to open a sealed value`);
  return keyObjectOf(key);
}

/** JSON with sorted keys: equal values produce equal text, whatever the order of their keys. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
      .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return JSON.stringify(value);
}
