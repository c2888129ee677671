import { createHash, createSign, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';

export const OIDC_CLIENT = { clientId: 'console', clientSecret: 'client-secret' } as const;

interface Claims {
  readonly sub: string;
  /** Whatever a provider may send. */
  readonly email: unknown;
  readonly email_verified: unknown;
  readonly name: string;
}

/** An OpenID Connect provider: discovery, keys, authorization codes with PKCE, signed id tokens. */
export async function startOidcProvider() {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const codes = new Map<string, { claims: Claims; nonce: string | null; challenge: string | null }>();
  let issuer = '';

  const sign = (claims: object) => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const input = `${encode({ alg: 'RS256', kid: 'k1', typ: 'JWT' })}.${encode(claims)}`;
    return `${input}.${createSign('RSA-SHA256').update(input).sign(privateKey).toString('base64url')}`;
  };
  const issueToken = async (request: IncomingMessage) => {
    const form = new URLSearchParams(await text(request));
    const basic = `Basic ${Buffer.from(`${OIDC_CLIENT.clientId}:${OIDC_CLIENT.clientSecret}`).toString('base64')}`;
    const isClient = request.headers.authorization === basic || form.get('client_secret') === OIDC_CLIENT.clientSecret;
    const code = form.get('code') ?? '';
    const grant = codes.get(code);
    codes.delete(code);
    const verifier = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (!isClient || grant === undefined || grant.challenge !== verifier) return null;
    const now = Math.floor(Date.now() / 1000);
    const claims = {
      iss: issuer,
      aud: OIDC_CLIENT.clientId,
      iat: now,
      exp: now + 300,
      nonce: grant.nonce,
      ...grant.claims,
    };
    return {
      access_token: randomBytes(16).toString('hex'),
      token_type: 'Bearer',
      expires_in: 300,
      id_token: sign(claims),
    };
  };
  const server = createServer(async (request, response) => {
    const answers: Record<string, () => Promise<unknown>> = {
      '/.well-known/openid-configuration': async () => ({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ['RS256'],
      }),
      '/jwks': async () => ({
        keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', alg: 'RS256', use: 'sig' }],
      }),
      '/token': () => issueToken(request),
    };
    const answer = (await answers[request.url ?? '']?.()) ?? null;
    response.writeHead(answer === null ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: 'invalid_grant' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return {
    issuer,
    /** The person agrees: returns the query of the redirect back to the console. */
    authorize(authorizationUrl: string, claims: Claims): URLSearchParams {
      const { searchParams } = new URL(authorizationUrl);
      const code = randomBytes(16).toString('hex');
      codes.set(code, { claims, nonce: searchParams.get('nonce'), challenge: searchParams.get('code_challenge') });
      return new URLSearchParams({ code, state: searchParams.get('state') ?? '' });
    },
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}
