import { findPersonById, markAddressVerified } from '../domain/people/credentials.ts';
import type { Services } from '../domain/services.ts';
import { openToken, signToken } from '../platform/signed-token.ts';

const LINK_MS = 3_600_000;
/** A person may ask for another link days after the sign-up. */
const COOKIE_SECONDS = 7 * 24 * 3_600;
const LINK = 'c1';
const COOKIE = 's1';

export const CONFIRM_PATH = '/verify-email';
const VERIFIED_PAGE = '/verified';

interface Options {
  readonly services: Pick<Services, 'db' | 'keys'>;
  readonly consoleUrl: string;
  /** A link to choose a password. */
  createPasswordLink(personId: string): Promise<string>;
}

/**
 * Confirms addresses by a link in a mail. The link names the person, so a later sign-up with the address ends it. It proves who reads
 * the mails, and a cookie proves which browser chose the password: without both, a stranger could sign up with the address of someone
 * who then confirms it.
 */
export function createAddressConfirmation({ services, consoleUrl, createPasswordLink }: Options) {
  const { keys } = services;
  const isSecure = consoleUrl.startsWith('https://');
  const name = `${isSecure ? '__Host-' : ''}atelier-sign-up`;
  const sign = (prefix: string, personId: string, lifeMs: number) =>
    signToken({ keys, purpose: 'address', prefix, payload: [personId, Date.now() + lifeMs] });
  const open = (prefix: string, token: string): string | null => {
    const [personId, endsAtMs] = (openToken({ keys, purpose: 'address', prefix, token }) ?? []) as [string?, number?];
    return personId !== undefined && endsAtMs !== undefined && endsAtMs > Date.now() ? personId : null;
  };
  return {
    createLink: (personId: string) =>
      `${consoleUrl}/api/auth${CONFIRM_PATH}?${new URLSearchParams({ token: sign(LINK, personId, LINK_MS) })}`,
    /** Remembers in the browser which person it signed up. */
    createCookie: (personId: string) =>
      `${name}=${sign(COOKIE, personId, COOKIE_SECONDS * 1_000)}; Path=/; Max-Age=${COOKIE_SECONDS}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`,
    /** Where to send the browser that opened a link. */
    async confirm(request: Request): Promise<string> {
      const token = new URL(request.url).searchParams.get('token') ?? '';
      const personId = open(LINK, token);
      const person = personId === null ? null : await findPersonById(services, personId);
      if (person === null) return `${VERIFIED_PAGE}?error=INVALID_TOKEN`;
      if (!person.emailVerified) {
        const cookie = readCookie(request.headers.get('cookie') ?? '', name);
        if (open(COOKIE, cookie) !== person.id) return createPasswordLink(person.id);
        await markAddressVerified(services, person.id);
      }
      return VERIFIED_PAGE;
    },
  };
}

export type AddressConfirmation = ReturnType<typeof createAddressConfirmation>;

function readCookie(header: string, name: string): string {
  for (const pair of header.split(/;\s*/)) if (pair.startsWith(`${name}=`)) return pair.slice(name.length + 1);
  return '';
}
