import { grantCode } from '../../../domain/accounts/authorizations/authorization-code.ts';
import { describeDestination, findProgram } from '../../../domain/accounts/authorizations/program.ts';
import type { ConsoleRoutes } from '../console-handler.ts';

export const authorizationRoutes: ConsoleRoutes<'getProgram' | 'createAuthorization'> = {
  async getProgram(services, { query }) {
    const { name } = findProgram(services, query);
    return { name, destination: describeDestination(query.redirectUri) };
  },

  async createAuthorization(services, { accountId, signedIn, body }) {
    const { clientId, redirectUri, codeChallenge, scopes, monthlySpendCapCoins: monthlyCap, state } = body;
    const { personId } = signedIn;
    const consent = { accountId, personId, clientId, redirectUri, codeChallenge, scopes, monthlyCap };
    const redirectTo = new URL(redirectUri);
    redirectTo.searchParams.set('code', grantCode(services, consent));
    if (state !== undefined) redirectTo.searchParams.set('state', state);
    redirectTo.searchParams.set('iss', services.consoleUrl);
    return { redirectTo: redirectTo.href };
  },
};
