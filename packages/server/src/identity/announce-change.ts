import { findPersonById } from '../domain/people/credentials.ts';
import { signInChangedMail } from '../domain/people/mails.ts';
import type { IdentityOptions } from './identity-options.ts';

const FORGOT_PASSWORD_PAGE = '/forgot-password';

export type AnnounceChange = (personId: string, change: string) => Promise<void>;

/** Mails a person that how they sign in was changed. */
export function createAnnounceChange(given: Pick<IdentityOptions, 'services' | 'mail' | 'consoleUrl'>): AnnounceChange {
  const url = `${given.consoleUrl}${FORGOT_PASSWORD_PAGE}`;
  return async (personId, change) => {
    const person = await findPersonById(given.services, personId);
    if (person !== null) given.mail.sendSoon({ to: person.email, ...signInChangedMail({ change, url }) });
  };
}
