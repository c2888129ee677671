import { CreateAuthorizationBody, CreatedAuthorization, GetProgramQuery, Program } from './authorizations.ts';
import { BUILDERS, type ConsoleOperationRow, changesFresh, OfAccount, signedIn } from './operation-row.ts';

/** Rows of the console's table: how a person gives a program access to an account. */
export const authorizationOperations = {
  getProgram: {
    method: 'GET',
    path: '/api/programs',
    summary: 'Describe a program that asks for access',
    roles: null,
    query: GetProgramQuery,
    response: Program,
    status: 200,
    problems: [...signedIn, 'rate_limited', 'not_found'],
  },
  createAuthorization: {
    method: 'POST',
    path: '/api/accounts/{accountId}/authorizations',
    summary: 'Give a program access to the account',
    roles: BUILDERS,
    fresh: true,
    params: OfAccount,
    body: CreateAuthorizationBody,
    response: CreatedAuthorization,
    status: 201,
    problems: changesFresh,
  },
} as const satisfies Record<string, ConsoleOperationRow>;
