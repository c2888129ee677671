import { SCOPES, type Scope } from '@atelier/contract';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { listApiKeys } from '../../domain/accounts/list-api-keys.ts';
import { revokeApiKey } from '../../domain/accounts/revoke-api-key.ts';
import { withTx } from '../../platform/db.ts';
import { need, needInteger, type OperatorCommand, UsageError } from './operator-command.ts';

export const keyCommands: Readonly<Record<string, OperatorCommand>> = {
  create: {
    summary: 'makes an API key and shows it, this once',
    options: {
      'account!': 'id of the account',
      'name!': 'a name for people',
      scopes: `with commas, of ${SCOPES.join(', ')} (default all)`,
      cap: 'coins that it may spend in a month',
      'expires-days': 'days until it expires',
    },
    run: (context) =>
      withTx(context.db, async (tx) => {
        const scopes = (context.options.scopes?.split(',') ?? [...SCOPES]) as Scope[];
        const unknown = scopes.find((scope) => !SCOPES.includes(scope));
        if (unknown !== undefined) throw new UsageError(`there is no scope ${unknown}`);
        const days = context.options['expires-days'] === undefined ? null : needInteger(context, 'expires-days');
        return createApiKey(tx, context.config.cell, {
          accountId: need(context, 'account'),
          name: need(context, 'name'),
          scopes,
          monthlyCap: context.options.cap === undefined ? null : needInteger(context, 'cap'),
          expiresAt: days === null ? null : new Date(Date.now() + days * 86_400_000),
        });
      }),
  },
  list: {
    summary: "an account's keys, without their secrets",
    options: { 'account!': 'id of the account' },
    run: (context) => listApiKeys(context, need(context, 'account')),
  },
  revoke: {
    summary: 'ends a key: at once for money, within five seconds for reads',
    options: { 'account!': 'id of the account', 'key!': 'id of the key' },
    async run(context) {
      const [accountId, keyId] = [need(context, 'account'), need(context, 'key')];
      await withTx(context.db, (tx) => revokeApiKey(tx, { accountId, keyId, actor: context.actor }));
      return { keyId, revoked: true };
    },
  },
};
