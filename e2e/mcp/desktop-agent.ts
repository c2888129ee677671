import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { type McpClient, openMcp, type Version } from './mcp-client.ts';

export const STATE = 'kJ2_-x9';

export interface DesktopAgent extends AsyncDisposable {
  readonly client: McpClient;
  /** Where the agent sends the person: the official client found it from the address of the server alone. */
  askForAccess(): Promise<string>;
  /** What the console answered, through the browser. */
  readonly answer: Promise<URLSearchParams>;
}

/** What the agent keeps between its starts. */
interface Kept {
  registration?: StoredOAuthClientInformation;
  discovery?: OAuthDiscoveryState;
  tokens?: StoredOAuthTokens;
}

/** An agent on the person's machine that knows the address of the server and nothing else. */
export async function startDesktopAgent(mcpUrl: string, version: Version): Promise<DesktopAgent> {
  const { promise: answer, resolve } = Promise.withResolvers<URLSearchParams>();
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end('<!doctype html><title>agent</title><p>You can close this page.</p>');
    const url = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (url.pathname === '/callback') resolve(url.searchParams);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const redirectUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;

  const kept: Kept = {};
  let verifier = '';
  let asked: URL | null = null;
  const authProvider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Desk agent',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    },
    state: () => STATE,
    clientInformation: () => kept.registration,
    saveClientInformation(registration) {
      kept.registration = registration;
    },
    discoveryState: () => kept.discovery,
    saveDiscoveryState(discovery) {
      kept.discovery = discovery;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url) {
      asked = url;
    },
    saveCodeVerifier(code) {
      verifier = code;
    },
    codeVerifier: () => verifier,
    invalidateCredentials() {
      delete kept.tokens;
    },
  };
  const client = openMcp(mcpUrl, version, { authProvider });
  return {
    client,
    async askForAccess() {
      const failure = await client.connect().then(
        () => new Error('connected without access'),
        (error: Error) => error,
      );
      if (asked === null) throw failure;
      return asked.href;
    },
    answer,
    [Symbol.asyncDispose]: () => new Promise<void>((done) => void server.close(() => done())),
  };
}
