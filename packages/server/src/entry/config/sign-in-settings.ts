import { MAX_COST_BITS, MIN_COST_BITS } from '../../identity/hash-password.ts';

/** Settings of sign-in and mail; part of the table in settings.ts, which checks their form. */
export const signInSettings = {
  SIGN_UP: {
    description: 'Who may sign up in the console: `open` for everyone, `invited` for those who have an invitation.',
    kind: 'text',
    default: 'invited',
    values: ['open', 'invited'],
  },
  PASSWORD_COST_BITS: {
    description:
      'Cost of hashing a password: scrypt with N = 2^bits. At 17, a sign-in takes 128 MB and about half a second of a processor; each further bit doubles both. Passwords hashed before a change stay valid.',
    kind: 'integer',
    default: '17',
    range: { minimum: MIN_COST_BITS, maximum: MAX_COST_BITS },
  },
  SMTP_URL: {
    description:
      'The mail server, such as `smtps://user:password@mail.example.com:465`; the roles `console` and `worker` and the command `people invite` send mails. Empty writes every mail to the log, with links that sign people in: for a laptop only.',
    kind: 'secret',
    default: '',
  },
  MAIL_FROM: {
    description: 'Sender of mails, such as `Atelier <console@example.com>`.',
    kind: 'text',
    default: 'Atelier <console@localhost>',
  },
  OIDC_ISSUER: {
    description:
      'Issuer URL of an OpenID Connect provider for sign-in; empty for none. The redirect URI to register is CONSOLE_URL followed by /api/auth/callback/oidc.',
    kind: 'text',
    default: '',
  },
  OIDC_CLIENT_ID: { description: 'Client id at the OpenID Connect provider.', kind: 'text', default: '' },
  OIDC_CLIENT_SECRET: { description: 'Client secret at the OpenID Connect provider.', kind: 'secret', default: '' },
  FIRST_USER_EMAIL: {
    description:
      'The `console` role creates this person, with a pair of accounts, when it starts and the person does not exist.',
    kind: 'text',
    default: '',
  },
  FIRST_USER_OPERATOR: {
    description: "Whether the first person may use the operator's desk.",
    kind: 'boolean',
    default: 'false',
  },
  FIRST_USER_PASSWORD: {
    description:
      'Password of the first person, 12 to 128 characters. Needed with FIRST_USER_EMAIL; a later change has no effect.',
    kind: 'secret',
    default: '',
  },
} as const;
