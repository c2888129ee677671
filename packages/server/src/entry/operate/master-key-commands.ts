import { forgetMasterKeys } from '../../domain/operator/forget-master-keys.ts';
import { listMasterKeys } from '../../domain/operator/list-master-keys.ts';
import { createKeyRing } from '../../platform/crypto.ts';
import type { Config } from '../config/config.ts';
import { type OperatorCommand, UsageError } from './operator-command.ts';

export const masterKeyCommands: Readonly<Record<string, OperatorCommand>> = {
  list: {
    summary: 'lists the master keys of this database by fingerprint',
    options: {},
    run: (context) => listMasterKeys(context),
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
