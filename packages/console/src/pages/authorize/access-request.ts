import { SCOPES, type Scope } from '@atelier/contract';

/** What a program asks for in the address of this page, as OAuth defines it. */
export interface AccessRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
  readonly state: string | null;
  readonly scopes: readonly Scope[];
}

/** Without a choice of the program: what the tools for agents need. */
const USUAL_SCOPES: readonly Scope[] = ['generate', 'read', 'uploads', 'account'];

/** The request of an address; null if it is incomplete or not supported. Read as text: the router would turn digits into numbers. */
export function readAccessRequest(search: string): AccessRequest | null {
  const params = new URLSearchParams(search);
  const clientId = params.get('client_id') ?? '';
  const redirectUri = params.get('redirect_uri') ?? '';
  const codeChallenge = params.get('code_challenge') ?? '';
  const isSupported = params.get('response_type') === 'code' && params.get('code_challenge_method') === 'S256';
  if (!isSupported || clientId === '' || !URL.canParse(redirectUri) || !/^[\w-]{43}$/.test(codeChallenge)) return null;
  const asked = (params.get('scope') ?? '').split(' ');
  const known = SCOPES.filter((scope) => asked.includes(scope));
  const scopes = known.length === 0 ? USUAL_SCOPES : known;
  return { clientId, redirectUri, codeChallenge, state: params.get('state'), scopes };
}

/** Where the browser goes if the person refuses. */
export function refusalUrl({ redirectUri, state }: AccessRequest, issuer: string): string {
  const url = new URL(redirectUri);
  url.searchParams.set('error', 'access_denied');
  if (state !== null) url.searchParams.set('state', state);
  url.searchParams.set('iss', issuer);
  return url.href;
}
