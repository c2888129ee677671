import { forgetMasterKeys } from '../../domain/operator/forget-master-keys.ts';
import { listMasterKeys } from '../../domain/operator/list-master-keys.ts';
import { resealSecondFactors } from '../../domain/people/reseal-second-factors.ts';
import { resealSecrets } from '../../domain/webhooks/endpoints/reseal-secrets.ts';
import { createKeyRing } from '../../platform/crypto.ts';
import type { Config } from '../config/config.ts';
import { requireMasterKeys } from '../require-master-keys.ts';
import { type OperatorCommand, UsageError } from './operator-command.ts';

export const masterKeyCommands: Readonly<Record<string, OperatorCommand>> = {
  list: {
    summary: 'lists the master keys of this database by fingerprint',
    options: {},
    run: (context) => listMasterKeys(context),
  },
  reseal: {
    summary: 're-encrypts webhook secrets and second factors with the first MASTER_KEY; older keys can then be removed',
    options: {},
    async run(context) {
      await requireMasterKeys(context);
      // Loaded on demand: only this command needs the library of the sign-in.
      const { createReseal } = await import('../../identity/create-reseal.ts');
      const { actor } = context;
      const webhooks = await resealSecrets(context, { actor });
      const people = await resealSecondFactors({ db: context.db, reseal: createReseal(context.keys) }, { actor });
      return {
        resealed: webhooks.resealed + people.resealed,
        current: webhooks.current + people.current,
        unopenedEndpoints: webhooks.unopened,
        unopenedPeople: people.unopened,
      };
    },
  },
  forget: {
    summary:
      'forgets lost keys: the next process to start records its own. Webhook secrets sealed with a lost key cannot be recovered',
    options: { 'yes?': 'confirms the command' },
    run(context) {
      if (!context.flags.has('yes')) throw new UsageError('Add --yes to confirm it');
      return forgetMasterKeys(context, { actor: context.actor });
    },
  },
};

/** The keys for verifying links at an edge: by key id, in hex. Nothing else can be computed from them. */
export function printLinkKeys(config: Config): number {
  const ring = createKeyRing(config.masterKeys);
  console.log(
    JSON.stringify(Object.fromEntries(ring.kids.map((kid) => [kid, ring.key('link', kid)?.toString('hex')]))),
  );
  return 0;
}
