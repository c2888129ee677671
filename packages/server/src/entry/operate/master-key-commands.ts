import { forgetMasterKeys } from '../../domain/operator/forget-master-keys.ts';
import { listMasterKeys } from '../../domain/operator/list-master-keys.ts';
import { createKeyRing } from '../../platform/crypto.ts';
import type { Config } from '../config/config.ts';
import { type OperatorCommand, UsageError } from './operator-command.ts';

export const masterKeyCommands: Readonly<Record<string, OperatorCommand>> = {
  list: {
    summary: 'the master keys that this database was used with, by fingerprint',
    options: {},
    run: (context) => listMasterKeys(context),
  },
  forget: {
    summary:
      'for a lost key: the next process records the keys that it has. Webhook secrets of the lost key stay sealed',
    options: { 'yes?': 'confirms it' },
    run(context) {
      if (!context.flags.has('yes')) throw new UsageError('Add --yes to confirm it');
      return forgetMasterKeys(context, { actor: context.actor });
    },
  },
};

/** The keys that an edge checks links with: by key id, in hex. Nothing else can be computed from them. */
export function printLinkKeys(config: Config): number {
  const ring = createKeyRing(config.masterKeys);
  console.log(
    JSON.stringify(Object.fromEntries(ring.kids.map((kid) => [kid, ring.key('link', kid)?.toString('hex')]))),
  );
  return 0;
}
