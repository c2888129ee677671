import { createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { sha256 } from '../../platform/crypto.ts';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

interface Held {
  readonly id: Buffer;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** An authenticator in software (WebAuthn, ES256, no attestation). `like`: with the key of another, at another site. */
export function createSoftwarePasskey(options: { origin: string; verifiesUser?: boolean; like?: { held: Held } }) {
  const held: Held = options.like?.held ?? {
    id: randomBytes(32),
    ...generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  };
  const { id, privateKey, publicKey } = held;
  const flags = USER_PRESENT | (options.verifiesUser === false ? 0 : USER_VERIFIED);
  let counter = options.like === undefined ? 0 : 100;
  const clientData = (type: string, challenge: string) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: options.origin, crossOrigin: false }));
  const authenticatorData = (rpId: string, extra: { flags: number; credential?: Buffer }) => {
    counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([extra.flags]), count, extra.credential ?? Buffer.alloc(0)]);
  };
  const shared = { id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' };
  return {
    held,
    register({ challenge, rp }: { challenge: string; rp: { id: string } }) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, encodeKey(publicKey)]);
      const authData = authenticatorData(rp.id, { flags: flags | HAS_CREDENTIAL, credential });
      const attestationObject = Buffer.concat([
        Buffer.from([0xa3]),
        encodeText('fmt'),
        encodeText('none'),
        encodeText('attStmt'),
        Buffer.from([0xa0]),
        encodeText('authData'),
        encodeBytes(authData),
      ]);
      return {
        ...shared,
        clientExtensionResults: {},
        response: {
          clientDataJSON: clientData('webauthn.create', challenge).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
          transports: ['internal'],
        },
      };
    },
    authenticate({ challenge, rpId }: { challenge: string; rpId: string }) {
      const authData = authenticatorData(rpId, { flags });
      const data = clientData('webauthn.get', challenge);
      const signature = createSign('sha256')
        .update(Buffer.concat([authData, sha256(data)]))
        .sign(privateKey);
      return {
        ...shared,
        clientExtensionResults: {},
        response: {
          clientDataJSON: data.toString('base64url'),
          authenticatorData: authData.toString('base64url'),
          signature: signature.toString('base64url'),
        },
      };
    },
  };
}

/** COSE: { 1: 2 (EC2), 3: -7 (ES256), -1: 1 (P-256), -2: x, -3: y }. */
function encodeKey(key: KeyObject): Buffer {
  const { x, y } = key.export({ format: 'jwk' });
  return Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21]),
    encodeBytes(Buffer.from(x as string, 'base64url')),
    Buffer.from([0x22]),
    encodeBytes(Buffer.from(y as string, 'base64url')),
  ]);
}

/** CBOR strings of up to 255 bytes. */
function encodeText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function encodeBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 24 ? [0x40 + bytes.length] : [0x58, bytes.length];
  return Buffer.concat([Buffer.from(head), bytes]);
}
