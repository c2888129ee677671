import { SCOPES, type Scope } from '@atelier/contract';
import { createApiKey } from '../../domain/accounts/create-api-key.ts';
import { listApiKeys } from '../../domain/accounts/list-api-keys.ts';
import { revokeApiKey } from '../../domain/accounts/revoke-api-key.ts';
import { updateApiKey } from '../../domain/accounts/update-api-key.ts';
import { withTx } from '../../platform/db.ts';
import {
  given,
  MAX_COINS,
  MAX_LIMIT,
  need,
  needId,
  needInteger,
  needIntegerOrNone,
  type OperatorCommand,
  UsageError,
} from './operator-command.ts';

const DAY_MS = 86_400_000;
const MAX_EXPIRY_DAYS = 36_500;
const CAP_RANGE = { minimum: 1, maximum: MAX_COINS };
const RATE_RANGE = { minimum: 1, maximum: MAX_LIMIT };
const key = { 'account!': 'id of the account', 'key!': 'id of the key' };

export const keyCommands: Readonly<Record<string, OperatorCommand>> = {
  create: {
    summary: 'creates an API key and shows it once',
    options: {
      'account!': 'id of the account',
      'name!': 'display name',
      scopes: `comma-separated: ${SCOPES.join(', ')} (default all)`,
      cap: 'coins per month',
      'request-cap': 'coins that one request may cost',
      rate: 'requests per 60 seconds (default KEY_RATE_LIMIT)',
      'expires-days': 'days until it expires',
    },
    run: (context) =>
      withTx(context.db, async (tx) => {
        const scopes = (context.options.scopes?.split(',') ?? [...SCOPES]) as Scope[];
        const unknown = scopes.find((scope) => !SCOPES.includes(scope));
        if (unknown !== undefined) throw new UsageError(`--scopes must be of ${SCOPES.join(', ')}`);
        const days = given(context, 'expires-days', () =>
          needInteger(context, 'expires-days', { minimum: 1, maximum: MAX_EXPIRY_DAYS }),
        );
        return createApiKey(tx, context.config.cell, {
          accountId: needId(context, 'account'),
          name: need(context, 'name'),
          scopes: [...new Set(scopes)],
          monthlyCap: given(context, 'cap', () => needInteger(context, 'cap', CAP_RANGE)) ?? null,
          requestCap: given(context, 'request-cap', () => needInteger(context, 'request-cap', CAP_RANGE)) ?? null,
          rateLimit:
            given(context, 'rate', () => needInteger(context, 'rate', RATE_RANGE)) ??
            context.config.accountDefaults.keyRateLimit,
          expiresAt: days === undefined ? null : new Date(Date.now() + days * DAY_MS),
          actor: context.actor,
        });
      }),
  },
  list: {
    summary: "an account's keys, without their secrets",
    options: { 'account!': 'id of the account' },
    run: (context) => listApiKeys(context, needId(context, 'account')),
  },
  limit: {
    summary: 'sets the limits of a key; options not given stay unchanged',
    options: {
      ...key,
      rate: 'requests per 60 seconds',
      cap: 'coins per month; none for no cap',
      'request-cap': 'coins that one request may cost; none for no cap',
    },
    run(context) {
      const rateLimit = given(context, 'rate', () => needInteger(context, 'rate', RATE_RANGE));
      const monthlyCap = given(context, 'cap', () => needIntegerOrNone(context, 'cap', CAP_RANGE));
      const requestCap = given(context, 'request-cap', () => needIntegerOrNone(context, 'request-cap', CAP_RANGE));
      if (rateLimit === undefined && monthlyCap === undefined && requestCap === undefined) {
        throw new UsageError('--rate, --cap or --request-cap is required');
      }
      return withTx(context.db, async (tx) => {
        const after = await updateApiKey(tx, {
          accountId: needId(context, 'account'),
          keyId: needId(context, 'key'),
          ...(rateLimit === undefined ? {} : { rateLimit }),
          ...(monthlyCap === undefined ? {} : { monthlyCap }),
          ...(requestCap === undefined ? {} : { requestCap }),
          actor: context.actor,
        });
        return { rateLimit: after.rateLimit, monthlyCap: after.monthlyCap, requestCap: after.requestCap };
      });
    },
  },
  revoke: {
    summary: 'revokes a key: at once for spending, within one second for reads',
    options: key,
    async run(context) {
      const [accountId, keyId] = [needId(context, 'account'), needId(context, 'key')];
      await withTx(context.db, (tx) => revokeApiKey(tx, { accountId, keyId, actor: context.actor }));
      return { keyId, revoked: true };
    },
  },
};
