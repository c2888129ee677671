import { CLIENT_ID_MAX_LENGTH, REDIRECT_URI_MAX_LENGTH } from '@atelier/contract/console';
import { isLoopback } from '../../../platform/is-loopback.ts';
import { invalidParams, Problem } from '../../../platform/problem.ts';
import { openToken, signToken } from '../../../platform/signed-token.ts';
import type { Services } from '../../services.ts';

/** A program that asks people for access to their accounts: an OAuth client. */
export interface Program {
  readonly name: string;
  readonly redirectUris: readonly string[];
}

const PREFIX = 'p1';
const MAX_NAME_LENGTH = 60;
const MAX_REDIRECT_URIS = 5;
/**
 * Programs on a person's machine that cannot listen on it. Others use https or http on this machine: an unknown scheme may open any
 * program of the system, with what the address says.
 */
const PROGRAM_SCHEMES = new Set(['claude:', 'cursor:', 'raycast:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:']);

type ProgramServices = Pick<Services, 'keys'>;

/** Anyone can register a program, so nothing is stored: its id is a signed description of it. */
export function registerProgram(services: ProgramServices, { name, redirectUris }: Program): string {
  const shown = name
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, MAX_NAME_LENGTH);
  if (redirectUris.length === 0 || redirectUris.length > MAX_REDIRECT_URIS || !redirectUris.every(isUsable)) {
    throw invalidParams('The program is not valid', [
      {
        path: 'redirect_uris',
        message: `must be 1 to ${MAX_REDIRECT_URIS} URLs: https, http on this machine, or the scheme of a known program`,
      },
    ]);
  }
  const payload = [shown === '' ? 'Unnamed program' : shown, redirectUris];
  const id = signToken({ keys: services.keys, purpose: 'program', prefix: PREFIX, payload });
  if (id.length > CLIENT_ID_MAX_LENGTH) {
    throw invalidParams('The program is not valid', [{ path: 'redirect_uris', message: 'must be shorter' }]);
  }
  return id;
}

function isUsable(uri: string): boolean {
  if (uri.length > REDIRECT_URI_MAX_LENGTH || !URL.canParse(uri)) return false;
  const { protocol, hash, username, password } = new URL(uri);
  if (hash !== '' || uri.includes('#') || username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' ? isLoopback(uri) : PROGRAM_SCHEMES.has(protocol));
}

/** The program of an id, if it may be answered at this address. */
export function findProgram(
  services: ProgramServices,
  { clientId, redirectUri }: { clientId: string; redirectUri: string },
): Program {
  const payload = openToken({ keys: services.keys, purpose: 'program', prefix: PREFIX, token: clientId });
  if (payload === null) throw new Problem('not_found', 'There is no such program. It must register again.');
  const [name, redirectUris] = payload as [string, string[]];
  if (!redirectUris.some((registered) => isSame(registered, redirectUri))) {
    throw new Problem('not_found', 'The program did not register this address.');
  }
  return { name, redirectUris };
}

/** The same text. On this machine the port may differ: the system assigns it when the program starts to listen. */
function isSame(registered: string, given: string): boolean {
  if (registered === given) return true;
  if (!URL.canParse(given) || given.includes('#')) return false;
  const [known, asked] = [new URL(registered), new URL(given)];
  if (known.protocol !== 'http:' || asked.username !== '' || asked.password !== '') return false;
  asked.port = known.port;
  return isLoopback(registered) && asked.href === known.href;
}

/** Where the access goes, in words that a person can judge. */
export function describeDestination(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (protocol === 'https:') return host;
  return protocol === 'http:' ? hostname : protocol.slice(0, -1);
}
