import { randomBytes, randomUUID } from 'node:crypto';
import { EVENT_TYPES, SCOPES, type Scope } from '@atelier/contract';
import type { AccountMode } from '@atelier/server/domain/accounts/caller.ts';
import { createAccount } from '@atelier/server/domain/accounts/create-account.ts';
import { createApiKey } from '@atelier/server/domain/accounts/create-api-key.ts';
import { lockAccount } from '@atelier/server/domain/accounts/lock-account.ts';
import { revokeApiKey } from '@atelier/server/domain/accounts/revoke-api-key.ts';
import { loadCatalog } from '@atelier/server/domain/catalog/load-catalog.ts';
import { grantCoins } from '@atelier/server/domain/ledger/grant-coins.ts';
import { addMember } from '@atelier/server/domain/people/manage-people.ts';
import { setOperator } from '@atelier/server/domain/people/operators.ts';
import { createEndpoint } from '@atelier/server/domain/webhooks/endpoints/create-endpoint.ts';
import { type Config, readConfig } from '@atelier/server/entry/config/config.ts';
import { migrate } from '@atelier/server/entry/migrate.ts';
import { openIdentity } from '@atelier/server/entry/open-identity.ts';
import { createKeyRing, type KeyRing } from '@atelier/server/platform/crypto.ts';
import { createDb, type Db, type Tx, withTx } from '@atelier/server/platform/db.ts';
import { createLog } from '@atelier/server/platform/log.ts';

const IMAGE_MODEL = 'canvas';
const ACTOR = 'sandbox';
const ROOMY_RATE = 10_000;
const RICH_TIMES = 1_000_000;

export interface Fixture {
  /** Ids of the accounts of the keys `full` and `debt`. */
  readonly accounts: { readonly full: string; readonly debt: string };
  readonly headerPrefix: string;
  readonly keys: Record<string, string>;
  /** Key of a live account with coins: it uses the engines of this machine. */
  readonly liveKey: string;
  /** Signs in to the console, as owner of the accounts of `liveKey` and of the first keys. */
  readonly login: { readonly email: string; readonly password: string };
  readonly mcpUrl: string;
  readonly models: Record<string, string>;
  readonly webhook: Record<string, string | number>;
}

/** Creates the accounts, keys and endpoints of a sandbox, and the fixture that describes them to black-box tests. */
export async function seedSandbox(
  env: NodeJS.ProcessEnv,
  options: { hookPort: number },
): Promise<{ fixture: Fixture }> {
  const config = readConfig(env);
  await migrate(config, () => {});
  const catalog = await loadCatalog(config.catalogDir);
  const price = catalog.models.get(IMAGE_MODEL)?.entry.priceFromCoins;
  if (price === undefined || price === null) throw new Error(`the catalog has no priced model ${IMAGE_MODEL}`);
  const db = createDb({ url: config.databaseUrl, applicationName: 'atelier-seed', maxConnections: 2 });
  const keys = createKeyRing(config.masterKeys);
  const urlPolicy = { allowHttp: true, allowCidrs: config.webhookAllowCidrs, ownHosts: [] };
  try {
    const login = { email: 'ada@example.com', password: randomBytes(9).toString('base64url') };
    const seeded = await withTx(db, async (tx) => {
      const ownerId = randomUUID();
      const account = (
        name: string,
        rateLimit = ROOMY_RATE,
        owner = { ownerId: randomUUID(), mode: 'test' as AccountMode },
      ) => createAccount(tx, { ...owner, name, rateLimit });
      const rich = (accountId: string) =>
        grantCoins(tx, { accountId, coins: price * RICH_TIMES, actor: ACTOR, reason: 'sandbox coins' });
      const key = createKeyMaker(tx, config.cell);

      const [live, a, p, b, locked, l, c, debt] = [
        await account('Sandbox', ROOMY_RATE, { ownerId, mode: 'live' }),
        await account('Sandbox', ROOMY_RATE, { ownerId, mode: 'test' }),
        await account('Account P, without coins'),
        await account('Account B'),
        await account('Locked account'),
        await account('Account L, with the real limits', 300),
        await account('Account C'),
        await account('Account D'),
      ];
      for (const each of [live, a, b, locked, l, c]) await rich(each);

      const full = await key(a, 'full');
      const full2 = await key(a, 'full2');
      const revoked = await key(a, 'revoked');
      await revokeApiKey(tx, { accountId: a, keyId: revoked.id, actor: ACTOR });
      const made: Record<string, string> = {
        full: full.key,
        full2: full2.key,
        read: (await key(a, 'read', { scopes: ['read'] })).key,
        generate: (await key(a, 'generate', { scopes: ['generate'] })).key,
        uploads: (await key(a, 'uploads', { scopes: ['uploads'] })).key,
        account: (await key(a, 'account', { scopes: ['account'] })).key,
        revoked: revoked.key,
        expired: (await key(a, 'expired', { expiresAt: new Date(Date.now() - 86_400_000) })).key,
        capped: (await key(a, 'capped', { monthlyCap: 3 * price })).key,
        poor: (await key(p, 'poor')).key,
        other: (await key(b, 'other')).key,
        locked: (await key(locked, 'locked')).key,
        limits: (await key(l, 'limits', { rateLimit: 120 })).key,
        limits2: (await key(l, 'limits2', { rateLimit: 120 })).key,
        limits3: (await key(l, 'limits3', { rateLimit: 120 })).key,
        cooldown: (await key(c, 'cooldown')).key,
        debt: (await key(debt, 'debt')).key,
        requestCapped: (await key(a, 'requestCapped', { requestCap: 2 * price })).key,
      };
      await lockAccount(tx, { accountId: locked, locked: true, reason: 'for the sandbox', actor: ACTOR });

      const endpoint = (path: string, keyId: string | null) =>
        createEndpoint(
          tx,
          { keys, urlPolicy },
          { accountId: a, url: `http://127.0.0.1:${options.hookPort}${path}`, events: EVENT_TYPES, keyId },
        );
      const first = await endpoint('/hook', null);
      const second = await endpoint('/hook-key-filtered', full2.id);
      return {
        accountId: live,
        fixture: {
          accounts: { full: a, debt },
          login,
          headerPrefix: config.webhookHeaderPrefix,
          keys: made,
          liveKey: (await key(live, 'live')).key,
          mcpUrl: `${config.publicUrl}/mcp`,
          models: {
            image: IMAGE_MODEL,
            consent: 'portrait-animate',
            imageInput: 'restorer-upscale',
            video: 'clip-upscale',
          },
          webhook: {
            port: options.hookPort,
            path: '/hook',
            secret: first.secret,
            path2: '/hook-key-filtered',
            secret2: second.secret,
            keyName2: 'full2',
          },
        },
      };
    });
    await addLogin(config, { db, keys }, { ...login, accountId: seeded.accountId });
    return seeded;
  } finally {
    await db.pool.end();
  }
}

/** Creates the person who owns the accounts. */
async function addLogin(
  config: Config,
  services: { db: Db; keys: KeyRing },
  person: { email: string; password: string; accountId: string },
): Promise<void> {
  const people = await openIdentity(config, { ...services, log: createLog({ level: 'warn' }) });
  try {
    const { email, password, accountId } = person;
    const personId = await people.identity.createPerson({ email, name: 'Ada', password });
    if (personId === null) throw new Error(`${email} exists already`);
    await addMember(services, { personId, accountId, role: 'owner', actor: ACTOR });
    await setOperator(services, { personId, operator: true, actor: ACTOR });
  } finally {
    await people.close();
  }
}

interface KeyOptions {
  readonly scopes?: readonly Scope[];
  readonly monthlyCap?: number;
  readonly requestCap?: number;
  readonly rateLimit?: number;
  readonly expiresAt?: Date;
}

function createKeyMaker(tx: Tx, cell: string) {
  return (accountId: string, name: string, options: KeyOptions = {}) =>
    createApiKey(tx, cell, {
      accountId,
      name,
      scopes: options.scopes ?? SCOPES,
      monthlyCap: options.monthlyCap ?? null,
      requestCap: options.requestCap ?? null,
      rateLimit: options.rateLimit ?? ROOMY_RATE,
      expiresAt: options.expiresAt ?? null,
    });
}
