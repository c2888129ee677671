import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { LINK_VARIANTS, type LinkDisposition, type LinkKeys, signLink, verifyLink } from './signed-link.ts';

const key = Buffer.alloc(32, 7);
const otherKey = Buffer.alloc(32, 8);
const keys: LinkKeys = new Map([
  ['k1', key],
  ['k2', otherKey],
]);
const assetId = '0190d2c1-7b1e-7c44-8a55-0c5f6a1b2c3d';
const origin = 'https://files.example.com';
const host = 'files.example.com';
const nowSeconds = 1_800_000_000;
const expiresAtSeconds = nowSeconds + 3600;

function link(disposition: LinkDisposition = 'inline', kid = 'k1') {
  const chosen = keys.get(kid)!;
  return signLink({ key: chosen, kid, origin, assetId, variant: 'file', disposition, expiresAtSeconds });
}

const target = (url: string) => url.slice(origin.length);
const verify = (pathAndQuery: string, at = nowSeconds, forHost = host) =>
  verifyLink({ keys, host: forHost, pathAndQuery, nowSeconds: at });

/** Splits a URL into host and path as a client sends them, without the normalization of a URL parser. */
function onTheWire(url: string): { host: string; pathAndQuery: string } | null {
  if (!url.startsWith('https://')) return null;
  const rest = url.slice('https://'.length);
  const slash = rest.indexOf('/');
  return slash === -1 ? null : { host: rest.slice(0, slash), pathAndQuery: rest.slice(slash) };
}

describe('signLink and verifyLink', () => {
  test('every variant and disposition survives the round trip', () => {
    for (const variant of LINK_VARIANTS) {
      for (const disposition of ['inline', 'attachment'] as const) {
        const url = signLink({ key, kid: 'k1', origin, assetId, variant, disposition, expiresAtSeconds });
        expect(verify(target(url))).toEqual({ ok: true, assetId, variant, disposition, expiresAtSeconds });
      }
    }
  });

  test('the signature is HMAC-SHA256 over the documented string', () => {
    const text = `dl\n${host}\n/v1/${assetId}/file\n${expiresAtSeconds}\ninline`;
    const expected = createHmac('sha256', key).update(text).digest('base64url');
    expect(link()).toBe(`${origin}/v1/${assetId}/file?e=${expiresAtSeconds}&k=k1&s=${expected}`);
  });

  test('the port is part of the signed host', () => {
    const local = 'http://127.0.0.1:8082';
    const url = signLink({
      key,
      kid: 'k1',
      origin: local,
      assetId,
      variant: 'vtt',
      disposition: 'inline',
      expiresAtSeconds,
    });
    const pathAndQuery = url.slice(local.length);
    expect(verify(pathAndQuery, nowSeconds, '127.0.0.1:8082').ok).toBe(true);
    expect(verify(pathAndQuery, nowSeconds, '127.0.0.1').ok).toBe(false);
    expect(verify(pathAndQuery, nowSeconds, '127.0.0.1:8083').ok).toBe(false);
  });

  test('expires at its second, not after it', () => {
    const pathAndQuery = target(link());
    expect(verify(pathAndQuery, expiresAtSeconds - 0.001).ok).toBe(true);
    expect(verify(pathAndQuery, expiresAtSeconds)).toEqual({ ok: false, reason: 'expired' });
    expect(verify(pathAndQuery, expiresAtSeconds + 1)).toEqual({ ok: false, reason: 'expired' });
  });

  test('only an authentic link is reported as expired', () => {
    const forged = target(link()).replace('/file?', '/poster?');
    expect(verify(forged, expiresAtSeconds + 1)).toEqual({ ok: false, reason: 'forged' });
  });

  test('a key verifies its own id only, and a retired id is refused', () => {
    const pathAndQuery = target(link('inline', 'k2'));
    expect(verify(pathAndQuery).ok).toBe(true);
    expect(verify(pathAndQuery.replace('k=k2', 'k=k1'))).toEqual({ ok: false, reason: 'forged' });
    expect(verifyLink({ keys: new Map([['k1', key]]), host, pathAndQuery, nowSeconds }).ok).toBe(false);
  });

  test('any byte set to any other value is refused', () => {
    let refused = 0;
    for (const disposition of ['inline', 'attachment'] as const) {
      const bytes = Buffer.from(link(disposition), 'latin1');
      for (let at = 0; at < bytes.length; at++) {
        for (let value = 0; value < 256; value++) {
          if (value === bytes[at]) continue;
          const altered = Buffer.from(bytes);
          altered[at] = value;
          const wire = onTheWire(altered.toString('latin1'));
          const accepted = wire !== null && verify(wire.pathAndQuery, nowSeconds, wire.host).ok;
          if (accepted) expect.fail(`byte ${at} as 0x${value.toString(16)} was accepted`);
          refused++;
        }
      }
    }
    expect(refused).toBeGreaterThan(70_000);
  });

  test('any byte removed or repeated is refused', () => {
    const url = link('attachment');
    for (let at = 0; at < url.length; at++) {
      for (const altered of [url.slice(0, at) + url.slice(at + 1), url.slice(0, at) + url[at] + url.slice(at)]) {
        const wire = onTheWire(altered);
        expect(wire !== null && verify(wire.pathAndQuery, nowSeconds, wire.host).ok).toBe(false);
      }
    }
  });

  test('a different form of a valid link is malformed', () => {
    const good = target(link());
    const [path, query] = good.split('?') as [string, string];
    const [e, k, s] = query.split('&') as [string, string, string];
    const spellings = {
      'other order': `${path}?k=${k.slice(2)}&${e}&${s}`,
      'signature first': `${path}?${s}&${e}&${k}`,
      'duplicate expiry': `${path}?${e}&${e}&${k}&${s}`,
      'duplicate signature': `${good}&${s}`,
      'extra parameter': `${good}&x=1`,
      'empty parameter': `${good}&`,
      'explicit inline': `${path}?${e}&${k}&d=inline&${s}`,
      'disposition last': `${good}&d=attachment`,
      'leading zero': `${path}?e=0${e.slice(2)}&${k}&${s}`,
      'plus sign': `${path}?e=%2B${e.slice(2)}&${k}&${s}`,
      'scientific expiry': `${path}?e=1e12&${k}&${s}`,
      'padded signature': `${good}=`,
      'encoded slash': `/v1%2F${assetId}/file?${query}`,
      'encoded letter': `/v1/${assetId}/%66ile?${query}`,
      'dot segment': `/v1/./${assetId}/file?${query}`,
      'parent segment': `/v1/x/../${assetId}/file?${query}`,
      'doubled slash': `//v1/${assetId}/file?${query}`,
      'trailing slash': `${path}/?${query}`,
      'upper-case id': `/v1/${assetId.toUpperCase()}/file?${query}`,
      'unknown variant': `/v1/${assetId}/original?${query}`,
      'absolute form': `${origin}${good}`,
      fragment: `${good}#x`,
      'trailing newline': `${good}\n`,
      'no query': path,
      'too long': `${good}${'A'.repeat(5000)}`,
    };
    for (const [name, pathAndQuery] of Object.entries(spellings)) {
      expect(verify(pathAndQuery), name).toEqual({ ok: false, reason: 'malformed' });
    }
  });

  test('no two signatures decode to the same bytes', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    for (let round = 0; round < 50; round++) {
      const url = signLink({
        key: randomBytes(32),
        kid: 'k9',
        origin,
        assetId: randomUUID(),
        variant: 'file',
        disposition: 'inline',
        expiresAtSeconds,
      });
      const last = url.at(-1)!;
      const decoded = Buffer.from(url.slice(-43), 'base64url');
      for (const letter of alphabet) {
        if (letter === last) continue;
        const altered = url.slice(0, -1) + letter;
        const sameBytes = Buffer.from(altered.slice(-43), 'base64url').equals(decoded);
        const verdict = verify(target(altered));
        if (sameBytes) expect(verdict).toEqual({ ok: false, reason: 'malformed' });
        expect(verdict.ok).toBe(false);
      }
    }
  });

  test('refuses to sign links that it could not verify', () => {
    const good = { key, kid: 'k1', origin, assetId, variant: 'file', disposition: 'inline', expiresAtSeconds } as const;
    expect(() => signLink({ ...good, key: Buffer.alloc(16) })).toThrow(TypeError);
    expect(() => signLink({ ...good, kid: 'a&b' })).toThrow(TypeError);
    expect(() => signLink({ ...good, assetId: '../x' })).toThrow(TypeError);
    expect(() => signLink({ ...good, origin: 'https://files.example.com/base' })).toThrow(TypeError);
    expect(() => signLink({ ...good, origin: 'https://Files.example.com' })).toThrow(TypeError);
    expect(() => signLink({ ...good, expiresAtSeconds: 1.5 })).toThrow(TypeError);
  });
});
