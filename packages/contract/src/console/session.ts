import Type, { type Static } from 'typebox';
import { Closed, DateTime } from '../building-blocks.ts';
import { UUID_PATTERN } from '../vocabulary.ts';

/** What a member of an account may do. Everyone can read; owners and developers can change things and spend coins. */
export const ROLES = ['owner', 'developer', 'billing', 'viewer'] as const;
export type Role = (typeof ROLES)[number];

export const MODES = ['live', 'test'] as const;
export type Mode = (typeof MODES)[number];

const Id = Type.String({ pattern: UUID_PATTERN });

export const Membership = Type.Object({
  pairId: Type.String({ pattern: UUID_PATTERN, description: 'The pair of accounts, live and test.' }),
  name: Type.String({ description: 'Display name of the pair.' }),
  role: Type.Enum(ROLES),
  accountIds: Type.Object(
    { live: Id, test: Id },
    { description: 'Both accounts. The id in a path selects the mode: the toggle only changes the id.' },
  ),
});
export type Membership = Static<typeof Membership>;

export const Session = Type.Object({
  person: Type.Object({
    id: Type.String({ minLength: 1 }),
    email: Type.String({ minLength: 1 }),
    name: Type.String(),
  }),
  memberships: Type.Array(Membership, { description: 'Empty for a person without an account.' }),
  signedInAt: DateTime('When the person last signed in.'),
  freshUntil: DateTime('Until then, operations that need a recent sign-in succeed.'),
  apiUrl: Type.String({ description: 'Base URL of the public API, for snippets. Without a trailing slash.' }),
});
export type Session = Static<typeof Session>;

/** Who may sign up: everyone, or only people with an invitation. */
export const SIGN_UPS = ['open', 'invited'] as const;

export const SignInOptions = Type.Object({
  oidc: Type.Boolean({ description: 'Sign-in through the OpenID Connect provider of the operator.' }),
  signUp: Type.Enum(SIGN_UPS),
});
export type SignInOptions = Static<typeof SignInOptions>;

const AccountName = Type.String({
  minLength: 1,
  maxLength: 100,
  // One line with something on it.
  pattern: '^[^\\p{Cc}]*[^\\p{Cc}\\s][^\\p{Cc}]*$',
  description: 'Display name of the pair of accounts.',
});
export const UpdateAccountBody = Type.Object({ name: AccountName }, Closed);
export const AccountSettings = Type.Object({ name: Type.String() });
