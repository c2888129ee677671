import { createSecureContext } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSafeFetch } from '../safe-fetch.ts';
import { createAddressPolicy } from './address-policy.ts';
import { checkEndpointUrl } from './check-url.ts';
import { openGuardedSocket } from './open-guarded-socket.ts';
import type { ResolveHost } from './resolve-host.ts';
import { type RawReceiver, startRawReceiver } from './testing/raw-receiver.ts';

/** Hosts that resolve to internal addresses but may not look internal. Refused when saved, and independently on connect. */
const INTERNAL_URLS = [
  // plain IPv4
  ...['https://127.0.0.1/', 'https://127.8.8.8/', 'https://0.0.0.0/', 'https://10.0.0.1/', 'https://172.16.0.1/'],
  ...['https://192.168.1.1/', 'https://169.254.169.254/latest/meta-data/', 'https://100.64.0.1/'],
  ...['https://100.100.100.200/', 'https://192.0.0.192/', 'https://198.18.0.1/', 'https://224.0.0.1/'],
  ...['https://255.255.255.255/', 'https://240.0.0.1/', 'https://203.0.113.7/'],
  // IPv4 in other notations
  ...['https://2130706433/', 'https://0x7f000001/', 'https://017700000001/', 'https://0x7f.1/', 'https://0177.0.0.1/'],
  ...['https://127.1/', 'https://127.0.1/', 'https://0/', 'https://0x0/', 'https://00000.0/', 'https://127.0.0.1./'],
  ...['https://0x7f.0x0.0x0.0x1/', 'https://127.0.0.0x1/', 'https://2852039166/', 'https://0xa9fea9fe/'],
  ...['https://%31%32%37.0.0.1/', 'https://127%2e0%2e0%2e1/', 'https://\u2460\u2461\u2466.\u24ea.\u24ea.\u2460/'],
  ...[
    'https://127\u30020\u30020\u30021/',
    'https://\uff11\uff12\uff17.\uff10.\uff10.\uff11/',
    'https://127\uff0e0\uff0e0\uff0e1/',
  ],
  ...['https://\u2081\u2082\u2087.0.0.1/', 'https://127.0.0.1\u00ad/', 'https://\ud835\udfcf27.0.0.1/'],
  // IPv6
  ...[
    'https://[::]/',
    'https://[::1]/',
    'https://[0:0:0:0:0:0:0:1]/',
    'https://[0000::0001]/',
    'https://[::ffff:127.0.0.1]/',
  ],
  ...[
    'https://[::ffff:7f00:1]/',
    'https://[::ffff:a9fe:a9fe]/',
    'https://[::127.0.0.1]/',
    'https://[::ffff:0:127.0.0.1]/',
  ],
  ...['https://[64:ff9b::7f00:1]/', 'https://[64:ff9b::169.254.169.254]/', 'https://[64:ff9b:1::7f00:1]/'],
  ...['https://[2002:7f00:1::]/', 'https://[2002:a9fe:a9fe::1]/', 'https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/'],
  ...[
    'https://[fe80::1]/',
    'https://[fec0::1]/',
    'https://[fd00:ec2::254]/',
    'https://[fc00::1]/',
    'https://[ff02::1]/',
  ],
  ...['https://[2001:db8::1]/', 'https://[3fff::1]/', 'https://[2606:4700::5efe:7f00:1]/', 'https://[100::1]/'],
  // names that are internal by convention
  ...[
    'https://localhost/',
    'https://LOCALHOST/',
    'https://localhost./',
    'https://api.localhost/',
    'https://\u24db\u24de\u24d2alhost/',
  ],
  ...['https://metadata.google.internal/', 'https://printer.local/', 'https://router.lan/', 'https://metadata/'],
  ...[
    'https://kubernetes.default.svc.cluster.local/',
    'https://db/',
    'https://nas.home.arpa/',
    'https://localhost.localdomain/',
  ],
];

/** Names that look public. Only their addresses show otherwise, so they pass when saved without DNS and fail on connect. */
const REBINDING_URLS = [
  ...[
    'https://127.0.0.1.nip.io/',
    'https://www.127-0-0-1.sslip.io/',
    'https://localtest.me/',
    'https://7f000001.rbndr.us/',
  ],
  ...['https://spoofed.burpcollaborator.net/', 'https://xn--localhost-abc.com/'],
];

/** Refused for their form; the host itself may be allowed. */
const BAD_URLS = [
  ...[
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
  ],
  ...[
    '//example.com/',
    'example.com',
    '',
    'https://',
    'https:///x',
    'https:/example.com',
    'https:example.com',
    'data:,x',
  ],
  ...['https://example.com:8443/', 'https://example.com:80/', 'https://example.com:0/', 'https://example.com:22/x'],
  ...['https://user:pw@example.com/', 'https://user@example.com/', 'https://@example.com/', 'https://:@example.com/'],
  ...['https://example.com@127.0.0.1/', 'https://127.0.0.1@example.com/', 'https://example.com%40127.0.0.1/'],
  ...[
    'https://example.com\\@127.0.0.1/',
    'https:\\\\example.com/',
    'https://example.com/#frag',
    'https://example.com#@127.0.0.1/',
  ],
  ...[' https://example.com/', 'https://example.com/ ', 'https://exam\tple.com/', 'https://example.com/\r\nHost: x'],
  ...['https://example.com/a b', 'https://example.com/\u0000', 'https://example.com./', 'https://example..com/'],
  ...['https://.example.com/', 'https://exa_mple.com/', 'https://exa!mple.com/', 'https://-a.example.com/'],
  ...[
    'https://[::1%25eth0]/',
    'https://[fe80::1%eth0]/',
    'https://[v1.x]/',
    'https://1.1.1.1/',
    'https://[2606:4700::1111]/',
  ],
  ...['https://256.1.1.1/', 'https://1.2.3.4.5/', 'https://foo.1/', 'https://example.com%00.evil.com/', 'https://com/'],
  ...[`https://${'a'.repeat(64)}.com/`, `https://${'a.'.repeat(130)}com/`, `https://example.com/${'a'.repeat(2_040)}`],
  ...['https://api.service.dev/v1', 'https://SERVICE.dev/', 'https://deep.cdn.service.dev/'],
];

const OWN_HOSTS = ['service.dev'];

let receiverV4: RawReceiver;
let receiverV6: RawReceiver;

beforeAll(async () => {
  const onConnection = () => {};
  receiverV4 = await startRawReceiver({ onConnection, host: '0.0.0.0' });
  receiverV6 = await startRawReceiver({ onConnection, host: '::1' }).catch(() => startRawReceiver({ onConnection }));
});

afterAll(async () => {
  expect(receiverV4.connectionCount() + receiverV6.connectionCount()).toBe(0);
  await Promise.all([receiverV4.close(), receiverV6.close()]);
});

const leadsHome: ResolveHost = async () => ['127.0.0.1'];
const safeFetch = createSafeFetch({ resolver: leadsHome, ownHosts: OWN_HOSTS });
const guard = { policy: createAddressPolicy(), resolve: leadsHome, secureContext: createSecureContext() };

it('covers more than sixty notations', () => {
  expect(INTERNAL_URLS.length + REBINDING_URLS.length).toBeGreaterThan(60);
});

describe('when an endpoint is saved', () => {
  it.each([...INTERNAL_URLS, ...BAD_URLS])('refuses %j', (url) => {
    expect(checkEndpointUrl(url, { ownHosts: OWN_HOSTS })).toEqual({ ok: false, reason: expect.any(String) });
  });

  it.each([...INTERNAL_URLS, ...REBINDING_URLS])('refuses %j once its name is resolved', async (url) => {
    await expect(safeFetch.checkTarget(url)).rejects.toMatchObject({ kind: 'forbidden_address' });
  });
});

describe('when a delivery is sent', () => {
  it.each([...INTERNAL_URLS, ...REBINDING_URLS, ...BAD_URLS])('refuses %j', async (url) => {
    await expect(safeFetch.safePost({ url, headers: {}, body: '{}' })).rejects.toMatchObject({
      name: 'EgressError',
      kind: 'forbidden_address',
    });
  });

  // The second check alone: only addresses, not the URL, with a listener on the target port.
  it.each([...INTERNAL_URLS, ...REBINDING_URLS])('refuses to connect to the host of %j', async (url) => {
    for (const { port } of [receiverV4, receiverV6]) {
      const target = { hostname: new URL(url).hostname, port, isTls: false };
      const opening = openGuardedSocket({ target, guard, signal: new AbortController().signal });
      await expect(opening).rejects.toMatchObject({ name: 'EgressError', kind: 'forbidden_address' });
    }
  });
});

describe('accepted URLs', () => {
  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://Example.COM/Hook?x=1', 'https://example.com/Hook?x=1'],
    ['https://example.com:443/hook', 'https://example.com/hook'],
    ['https://m\u00fcnchen.de/\u00fc', 'https://xn--mnchen-3ya.de/%C3%BC'],
    ['https://hooks.example.co.uk/a/b;c=d@e?f=g@h', 'https://hooks.example.co.uk/a/b;c=d@e?f=g@h'],
    ['https://notservice.dev/', 'https://notservice.dev/'],
  ])('%s', (url, href) => {
    expect(checkEndpointUrl(url, { ownHosts: OWN_HOSTS })).toEqual({ ok: true, url: href });
  });

  const sandbox = { allowHttp: true, allowCidrs: ['127.0.0.0/8', '::1/128'], ownHosts: ['127.0.0.1:8080'] };
  it.each([
    'http://127.0.0.1:9000/hook',
    'http://localhost:9000/',
    'https://[::1]:9/',
    'http://receiver:80/',
    'http://example.com:81/',
  ])('in the sandbox %s', (url) => expect(checkEndpointUrl(url, sandbox).ok).toBe(true));
  it.each([
    'http://127.0.0.1:8080/',
    'http://10.0.0.1/',
    'https://8.8.8.8/',
    'http://[::ffff:127.0.0.1]/',
    'http://a@127.0.0.1/',
  ])('even in the sandbox not %s', (url) => expect(checkEndpointUrl(url, sandbox).ok).toBe(false));

  const exceptions = { allowCidrs: ['10.0.0.0/8'] };
  it('with exceptions but without http: internal names and literals on any port, public names on the default port', () => {
    expect(checkEndpointUrl('https://10.0.0.7:8443/', exceptions).ok).toBe(true);
    expect(checkEndpointUrl('https://billing.internal:8443/', exceptions).ok).toBe(true);
    expect(checkEndpointUrl('https://example.com:8443/', exceptions).ok).toBe(false);
    expect(checkEndpointUrl('http://10.0.0.7/', exceptions).ok).toBe(false);
    expect(checkEndpointUrl('https://192.168.0.1/', exceptions).ok).toBe(false);
  });
});
