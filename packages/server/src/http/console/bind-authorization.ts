import { SCOPES } from '@atelier/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { KEY_LIFE_SECONDS, redeemCode } from '../../domain/accounts/authorizations/authorization-code.ts';
import { registerProgram } from '../../domain/accounts/authorizations/program.ts';
import { mayCreateKeys } from '../../domain/people/memberships.ts';
import { Problem } from '../../platform/problem.ts';
import { type AddressCounter, countPerAddress } from '../auth/count-per-address.ts';
import { writeRateHeaders } from '../auth/rate-limit.ts';
import type { BodyDeadlines } from '../body/body-deadlines.ts';
import type { KnownPath } from '../server/refuse-early.ts';
import type { ConsoleServices } from './console-handler.ts';

const MAX_BODY_BYTES = 16 * 1024;
/** Requests of programs that an address may send in a minute: they have no account yet whose limit would count. */
export const PROGRAM_RATE_LIMIT = 60;
const METADATA = '/.well-known/oauth-authorization-server';
const REGISTER = '/oauth/register';
const TOKEN = '/oauth/token';

export const AUTHORIZATION_PATHS: readonly KnownPath[] = [
  { method: 'GET', path: METADATA },
  { method: 'POST', path: REGISTER },
  { method: 'POST', path: TOKEN },
];

/** An error as OAuth clients read it. */
class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: string;

  constructor(code: string, description: string) {
    super(description);
    this.code = code;
  }
}

/**
 * What programs call to get access, as OAuth 2.1 defines it: metadata, registration, and the exchange of a code. They send no
 * cookie, and the person consents on a page of the console. The access token is an API key.
 */
export function bindAuthorization(
  app: FastifyInstance,
  { services, origin, bodyDeadlines }: { services: ConsoleServices; origin: string; bodyDeadlines: BodyDeadlines },
): void {
  const requests = countPerAddress(PROGRAM_RATE_LIMIT);
  void app.register(async (scope) => {
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string', bodyLimit: MAX_BODY_BYTES },
      (_request, body, done) => done(null, new URLSearchParams(body as string)),
    );
    scope.addHook('onRequest', async (request, reply) => {
      reply.header('cache-control', 'no-store');
      if (request.method !== 'POST') return;
      refuseTooMany(requests, request, reply);
      bodyDeadlines.expect(request, reply);
    });
    scope.addHook('preHandler', async (request) => bodyDeadlines.arrived(request));
    scope.setErrorHandler((error, _request, reply) => {
      if (error instanceof OAuthError) return sendError(reply, error.code, error.message);
      throw error;
    });

    scope.get(METADATA, async (_request, reply) => sendJson(reply, 200, describeServer(origin)));

    scope.post(REGISTER, { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
      const { client_name: name = '', redirect_uris: redirectUris } = (request.body ?? {}) as Record<string, unknown>;
      if (typeof name !== 'string' || !isTexts(redirectUris)) {
        throw new OAuthError('invalid_client_metadata', 'redirect_uris must be a list of URLs.');
      }
      const clientId = translate('invalid_redirect_uri', () => registerProgram(services, { name, redirectUris }));
      return sendJson(reply, 201, {
        client_id: clientId,
        client_id_issued_at: Math.floor(services.clock.now().getTime() / 1000),
        ...(name === '' ? {} : { client_name: name }),
        redirect_uris: redirectUris,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code'],
        response_types: ['code'],
      });
    });

    scope.post(TOKEN, async (request, reply) => {
      const read = readForm(request.body);
      if (read('grant_type') !== 'authorization_code') {
        throw new OAuthError('unsupported_grant_type', 'Only authorization_code is supported.');
      }
      const redemption = {
        code: read('code'),
        clientId: read('client_id'),
        redirectUri: read('redirect_uri'),
        codeVerifier: read('code_verifier'),
      };
      const { key, scopes } = await redeemCode(services, redemption, mayCreateKeys).catch(refuse);
      return sendJson(reply, 200, {
        access_token: key,
        token_type: 'Bearer',
        expires_in: KEY_LIFE_SECONDS,
        scope: scopes.join(' '),
      });
    });
  });
}

function refuseTooMany(requests: AddressCounter, { ip }: FastifyRequest, reply: FastifyReply): void {
  const resetSeconds = requests.secondsLeft(ip);
  if (resetSeconds !== null) {
    writeRateHeaders(reply, { allowed: false, limit: PROGRAM_RATE_LIMIT, remaining: 0, resetSeconds });
    throw new Problem('rate_limited', 'Too many requests of programs from this address.', {
      retryAfterSeconds: resetSeconds,
    });
  }
  requests.count(ip);
}

function describeServer(origin: string): object {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}${TOKEN}`,
    registration_endpoint: `${origin}${REGISTER}`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Reads fields of a form, each at most once. */
function readForm(body: unknown): (name: string) => string {
  if (!(body instanceof URLSearchParams)) {
    throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded.');
  }
  return (name) => {
    const [value, ...more] = body.getAll(name);
    if (value === undefined || value === '' || more.length > 0) {
      throw new OAuthError('invalid_request', `${name} must be sent once.`);
    }
    return value;
  };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function translate<T>(code: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) throw new OAuthError(code, error.message);
    throw error;
  }
}

function refuse(error: unknown): never {
  if (error instanceof Problem && error.code !== 'unavailable') throw new OAuthError('invalid_grant', error.message);
  throw error;
}

const sendError = (reply: FastifyReply, error: string, description: string) =>
  sendJson(reply, 400, { error, error_description: description });

function sendJson(reply: FastifyReply, status: number, body: object): FastifyReply {
  return reply.code(status).type('application/json; charset=utf-8').send(JSON.stringify(body));
}
