import { APIError } from 'better-auth/api';
import { findOperator, recordSignIn } from '../domain/people/operators.ts';
import type { Services } from '../domain/services.ts';

const METHODS: Readonly<Record<string, string>> = {
  '/sign-in/email': 'password',
  '/two-factor/verify-totp': 'code',
  '/two-factor/verify-backup-code': 'backup_code',
  '/passkey/verify-authentication': 'passkey',
};

/** The sign-in that a second step follows, if the person has one. */
const PASSWORD = '/sign-in/email';

/**
 * Who may have a session at the desk: operators, with a second factor. After a password, the library asks for a code if the person
 * turned that on, and otherwise the sign-in is refused here.
 */
export function createOperatorCheck(services: Pick<Services, 'db'>, { secondFactor }: { secondFactor: boolean }) {
  return async ({ personId, path }: { readonly personId: string; readonly path: string }): Promise<void> => {
    const operator = await findOperator(services, personId);
    if (operator === null) {
      throw new APIError('FORBIDDEN', {
        code: 'NOT_AN_OPERATOR',
        message: 'Only operators may sign in here. Ask another operator to add you.',
      });
    }
    if (secondFactor && path === PASSWORD && !operator.twoFactor) {
      throw new APIError('FORBIDDEN', {
        code: 'SECOND_FACTOR_REQUIRED',
        message: 'Turn on codes of an authenticator app in the console, under "Your security". Then sign in here.',
      });
    }
    // After a password the library asks for the code, and creates the session again.
    if (path === PASSWORD && operator.twoFactor) return;
    await recordSignIn(services, { personId, method: METHODS[path] ?? 'other' });
  };
}
