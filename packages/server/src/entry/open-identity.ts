import type { Services } from '../domain/services.ts';
import { createIdentity, type NewIdentity, type PeopleDesk } from '../identity/create-identity.ts';
import { createOperatorCheck } from '../identity/require-operator.ts';
import { createDb } from '../platform/db.ts';
import { errorFields } from '../platform/log.ts';
import { createMailer, type Mailer } from '../platform/mail.ts';
import type { Config } from './config/config.ts';

const MAX_CONNECTIONS = 4;
const APP_NAME = 'Atelier';

export interface OpenIdentity {
  readonly identity: PeopleDesk;
  readonly mail: Mailer;
  close(): Promise<void>;
}

type Needed = Pick<Services, 'db' | 'keys' | 'log'>;

/** Sign-in and mail, as the console and the commands about people use them. */
export function openIdentity(config: Config, services: Needed): Promise<OpenIdentity> {
  return open(config, services, { listener: 'console', consoleUrl: config.consoleUrl, oidc: config.signIn.oidc });
}

/** Sign-in at the desk: for operators, with their second factor. An OpenID Connect provider may ask for none, so it is not used. */
export function openDeskIdentity(config: Config, services: Needed): Promise<OpenIdentity> {
  return open(config, services, {
    listener: 'desk',
    consoleUrl: config.deskUrl,
    oidc: null,
    onSession: createOperatorCheck(services, { secondFactor: config.deskSecondFactor }),
  });
}

async function open(
  config: Config,
  services: Needed,
  own: Pick<NewIdentity, 'listener' | 'consoleUrl' | 'oidc' | 'onSession'>,
): Promise<OpenIdentity> {
  const authDb = createDb({
    url: config.databaseUrl,
    applicationName: 'atelier-sign-in',
    maxConnections: MAX_CONNECTIONS,
    prepare: config.databasePrepare,
    onIdleError: (error) => services.log.warn('idle database connection lost', errorFields(error)),
  });
  const { signUp, passwordCostBits, smtpUrl, mailFrom } = config.signIn;
  const mail = createMailer({ smtpUrl, from: mailFrom, log: services.log });
  const identity = await createIdentity({
    services,
    authDb,
    accountDefaults: config.accountDefaults,
    appName: APP_NAME,
    signUp,
    passwordCostBits,
    mail,
    ...own,
  });
  return {
    identity,
    mail,
    async close() {
      await mail.close();
      await authDb.pool.end();
    },
  };
}
