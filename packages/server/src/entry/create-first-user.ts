import { setOperator } from '../domain/people/operators.ts';
import { setUpPerson } from '../domain/people/set-up-person.ts';
import type { Services } from '../domain/services.ts';
import type { PeopleDesk } from '../identity/create-identity.ts';
import type { Config } from './config/config.ts';

/** Creates the person of FIRST_USER_EMAIL with a pair of accounts, unless the person exists. Safe to repeat. */
export async function createFirstUser(
  { signIn, accountDefaults }: Pick<Config, 'signIn' | 'accountDefaults'>,
  services: Pick<Services, 'db' | 'log'>,
  identity: Pick<PeopleDesk, 'createPerson'>,
): Promise<void> {
  if (signIn.firstUser === null) return;
  const { email, password, isOperator } = signIn.firstUser;
  const personId = await identity.createPerson({ email, name: email.split('@')[0] as string, password });
  if (personId === null) return;
  await setUpPerson({ db: services.db, accountDefaults }, personId);
  if (isOperator) await setOperator(services, { personId, operator: true, actor: 'FIRST_USER_OPERATOR' });
  services.log.info('first person created', {});
}
