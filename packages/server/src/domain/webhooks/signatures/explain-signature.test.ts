import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type ExplainSignatureOptions, explainSignature } from './explain-signature.ts';
import { signDelivery } from './sign-delivery.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwqgBdLr5uYb0';
const OLD = 'whsec_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOP0';
const NOW = 1_760_000_000;
const EVENT = {
  id: 'evt_1',
  type: 'generation.succeeded',
  data: {
    generation: {
      prompt: 'Gr\u00fc\u00dfe <b> & \ud83c\udfa8',
      outputs: [{ url: 'https://cdn/x?a=1&b=2' }],
      tags: [],
      a: null,
    },
  },
};
const BODY = JSON.stringify(EVENT);
const HEADER = signDelivery({ secrets: [SECRET], timestampSeconds: NOW, body: BODY });

function explain(received: Partial<ExplainSignatureOptions>) {
  return explainSignature({ secret: SECRET, sentHeader: HEADER, sentBody: BODY, ...received });
}

function hmac(key: string | Buffer, text: string) {
  return createHmac('sha256', key).update(text);
}

describe('explainSignature', () => {
  it('finds nothing wrong with a valid signature', () => {
    const right = {
      receivedHeader: HEADER,
      receivedBody: Buffer.from(BODY),
      receivedSecret: SECRET,
      receiverNowSeconds: NOW + 299,
      computedSignature: HEADER.slice(HEADER.indexOf('v1=')),
    };
    expect(explain(right)).toEqual({ verdict: 'ok', sentence: expect.any(String), findings: [] });
    expect(explain({ receivedHeader: ` ${HEADER}` }).verdict).toBe('ok');
  });

  it.each([
    ['', /empty/],
    [`"${HEADER}"`, /quotes/],
    [`Service-Signature: ${HEADER}`, /colon/],
    [HEADER.toUpperCase(), /form|upper/],
    [`t=${NOW},v1=${HEADER.slice(-64).toUpperCase()}`, /upper case/],
    [encodeURIComponent(HEADER), /URL-encoded/],
    [HEADER.slice(-64), /"t="/],
    [HEADER.split(',')[0], /"v1="/],
    [HEADER.slice(0, -5), /cut short/],
    [`t=yesterday,${HEADER.split(',')[1]}`, /form/],
  ])('malformed header %s', (receivedHeader, sentence) => {
    expect(explain({ receivedHeader: receivedHeader ?? '' })).toMatchObject({
      verdict: 'malformed_header',
      sentence: expect.stringMatching(sentence),
    });
  });

  it('detects the header of another attempt', () => {
    const receivedHeader = signDelivery({ secrets: [SECRET], timestampSeconds: NOW + 30, body: BODY });
    expect(explain({ receivedHeader }).verdict).toBe('other_header');
  });

  it.each([
    [`${SECRET}\n`, /line break/],
    [` ${SECRET}`, /space/],
    [`"${SECRET}"`, /quotes/],
    [SECRET.slice(6), /prefix/],
    [SECRET.toLowerCase(), /case/],
    [OLD, /old one or belongs to another/],
    [SECRET.slice(0, 20), /cut short/],
    ['', /empty/],
    ['atelier_sk_1234', /API key/],
    ['hello', /must begin/],
    ['whsec_somethingelse', /cut short/],
    [`whsec_${'x'.repeat(43)}`, /rotated/],
  ])('wrong secret %j', (receivedSecret, sentence) => {
    const result = explain({ receivedSecret, otherSecrets: [OLD] });
    expect(result).toMatchObject({ verdict: 'wrong_secret', sentence: expect.stringMatching(sentence) });
    expect(result.sentence).not.toContain('MfKQ');
  });

  const sorted = JSON.stringify({
    data: {
      generation: { a: null, outputs: EVENT.data.generation.outputs, prompt: EVENT.data.generation.prompt, tags: [] },
    },
    id: 'evt_1',
    type: EVENT.type,
  });
  const python = String.raw`{"id": "evt_1", "type": "generation.succeeded", "data": {"generation": {"prompt": "Gr\u00fc\u00dfe <b> & \ud83c\udfa8", "outputs": [{"url": "https://cdn/x?a=1&b=2"}], "tags": [], "a": null}}}`;
  const php = String.raw`{"id":"evt_1","type":"generation.succeeded","data":{"generation":{"prompt":"Gr\u00fc\u00dfe <b> & \ud83c\udfa8","outputs":[{"url":"https:\/\/cdn\/x?a=1&b=2"}],"tags":[],"a":null}}}`;
  const bodies: [string, string, RegExp][] = [
    ['pretty by two', JSON.stringify(EVENT, null, 2), /pretty-printed\./],
    ['pretty by four', JSON.stringify(EVENT, null, 4), /four spaces/],
    ['pretty by tabs', JSON.stringify(EVENT, null, '\t'), /tabs/],
    ['sorted keys', sorted, /sorted keys/],
    ['newline', `${BODY}\n`, /line break at its end/],
    ['CRLF', `${BODY}\r\n`, /CRLF/],
    ['byte order mark', `\ufeff${BODY}`, /byte order mark/],
    ['Latin-1', Buffer.from(BODY).toString('latin1'), /Latin-1/],
    ['Python', python, /Python/],
    ['PHP', php, /PHP/],
    ['Go', BODY.replace('<', '\\u003c').replace('>', '\\u003e').replaceAll('&', '\\u0026'), /Go/],
    ['object', '[object Object]', /object Object/],
    ['a JSON string', JSON.stringify(BODY), /quotes and all/],
    ['empty', '', /empty/],
    ['cut', BODY.slice(0, 40), /40 of \d+ bytes/],
    ['same JSON', BODY.replace('{"id"', '{  "id"'), /same JSON/],
    ['other', '{"id":"evt_2"}', /not the one sent/],
  ];

  it.each(bodies)('changed body: %s', (_name, receivedBody, sentence) => {
    expect(explain({ receivedBody })).toMatchObject({
      verdict: 'changed_body',
      sentence: expect.stringMatching(sentence),
    });
  });

  it('recognizes a body that was sent pretty-printed and received compact', () => {
    const sentBody = JSON.stringify(EVENT, null, 2);
    const sentHeader = signDelivery({ secrets: [SECRET], timestampSeconds: NOW, body: sentBody });
    expect(explain({ sentBody, sentHeader, receivedBody: BODY }).sentence).toMatch(/parsed and written again\./);
    expect(explain({ sentBody, sentHeader, receivedBody: sentBody.replaceAll('\n', '\r\n') }).sentence).toMatch(
      /Windows/,
    );
  });

  it.each([
    [NOW + 301, /301 s ahead of/],
    [NOW - 3_600, /3600 s behind/],
    [NOW * 1_000, /milliseconds/],
  ])('clock at %d', (receiverNowSeconds, sentence) => {
    expect(explain({ receiverNowSeconds })).toMatchObject({
      verdict: 'clock',
      sentence: expect.stringMatching(sentence),
    });
  });

  const text = `${NOW}.${BODY}`;
  it.each([
    ['wrong_secret', /prefix/, hmac(SECRET.slice(6), text).digest('hex')],
    ['wrong_secret', /base64-decoded/, hmac(Buffer.from(SECRET.slice(6), 'base64'), text).digest('hex')],
    ['wrong_secret', /line break/, hmac(`${SECRET}\n`, text).digest('hex')],
    ['wrong_secret', /old secret/, hmac(OLD, text).digest('hex')],
    ['changed_body', /pretty-printed/, hmac(SECRET, `${NOW}.${JSON.stringify(EVENT, null, 2)}`).digest('hex')],
    ['changed_body', /Python/, hmac(SECRET, `${NOW}.${python}`).digest('hex')],
    ['wrong_computation', /without "t\."/, hmac(SECRET, BODY).digest('hex')],
    ['wrong_computation', /dot after t/, hmac(SECRET, `${NOW}${BODY}`).digest('hex')],
    ['wrong_computation', /event id/, hmac(SECRET, `evt_1.${text}`).digest('hex')],
    ['wrong_computation', /base64/, hmac(SECRET, text).digest('base64')],
    ['wrong_computation', /upper case/, hmac(SECRET, text).digest('hex').toUpperCase()],
    [
      'wrong_secret',
      /base64-decoded and .*event id.* and .*base64/,
      hmac(Buffer.from(SECRET.slice(6), 'base64'), `evt_1.${text}`).digest('base64'),
    ],
    ['unexplained', /none of the usual/, 'f'.repeat(64)],
  ])('computed value: %s %s', (verdict, sentence, computedSignature) => {
    expect(explain({ computedSignature, otherSecrets: [OLD] })).toMatchObject({
      verdict,
      sentence: expect.stringMatching(sentence),
    });
  });

  it('reports an attempt that was signed with an earlier secret', () => {
    const sentHeader = signDelivery({ secrets: [OLD], timestampSeconds: NOW, body: BODY });
    expect(explain({ sentHeader, otherSecrets: [OLD] })).toMatchObject({ verdict: 'wrong_secret' });
    expect(explain({ sentHeader }).sentence).toMatch(/rotated/);
  });

  it('lists all findings, in the order to fix them', () => {
    const result = explain({
      receivedHeader: '',
      receivedSecret: `${SECRET}\n`,
      receivedBody: `${BODY}\n`,
      receiverNowSeconds: NOW + 999,
    });
    expect(result.findings.map((finding) => finding.verdict)).toEqual([
      'malformed_header',
      'wrong_secret',
      'changed_body',
      'clock',
    ]);
  });
});
