import Type, { type Static } from 'typebox';
import { Closed } from '../building-blocks.ts';
import { Cap, Scopes } from './keys.ts';

export const CLIENT_ID_MAX_LENGTH = 2_048;
export const REDIRECT_URI_MAX_LENGTH = 400;

const ClientId = Type.String({ minLength: 1, maxLength: CLIENT_ID_MAX_LENGTH });
const RedirectUri = Type.String({ minLength: 1, maxLength: REDIRECT_URI_MAX_LENGTH });

export const GetProgramQuery = Type.Object({ clientId: ClientId, redirectUri: RedirectUri }, Closed);

/** A program that asks for access to an account: an OAuth client. */
export const Program = Type.Object({
  name: Type.String({ description: 'What the program calls itself. Nobody has checked it.' }),
  destination: Type.String({ description: 'Where the access goes: a host, or a scheme that opens a program.' }),
});
export type Program = Static<typeof Program>;

export const CreateAuthorizationBody = Type.Object(
  {
    clientId: ClientId,
    redirectUri: RedirectUri,
    codeChallenge: Type.String({
      pattern: '^[A-Za-z0-9_-]{43}$',
      description: 'SHA-256 of the secret that the program keeps, in base64url.',
    }),
    state: Type.Optional(Type.String({ maxLength: 1_000, description: 'Returned to the program unchanged.' })),
    scopes: Scopes,
    monthlySpendCapCoins: Cap,
  },
  Closed,
);

export const CreatedAuthorization = Type.Object({
  redirectTo: Type.String({
    description: 'Where to send the browser. The program exchanges the code in it for a key.',
  }),
});
