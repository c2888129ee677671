import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SCOPES } from '@atelier/contract';
import { createKeyRing } from '../../../platform/crypto.ts';
import { type Db, withTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { createDirectoryStore } from '../../../platform/object-store/directory-store.ts';
import { createAccountPair } from '../../accounts/create-account-pair.ts';
import { createApiKey } from '../../accounts/create-api-key.ts';
import { openKeyPrefix } from '../../assets/bucket/bucket-ownership.ts';
import {
  createMoneyPath,
  type PathAccount,
  type PathSubmission,
  sampleOutput,
  settlementOf,
} from '../../generations/testing/create-money-path.ts';
import { TEST_LIMITS } from '../../generations/testing/test-limits.ts';
import type { Cell } from '../cell.ts';

const DEFAULTS = { coins: 500, testCoins: 1_000, runLimit: 4, raisedLimit: null, rateLimit: 300, keyRateLimit: 120 };

/** Everything of a pair that a move keeps, by table and in a fixed order. */
const KEPT: Readonly<Record<string, string>> = {
  account: `to_jsonb(t) - '{moving_to,moved_to,queue_tail}'::text[] FROM account t WHERE id = ANY ($1) ORDER BY id`,
  api_key: 'to_jsonb(t) FROM api_key t WHERE account_id = ANY ($1) ORDER BY id',
  key_month: `to_jsonb(t) FROM key_month t JOIN api_key k ON k.id = t.key_id WHERE k.account_id = ANY ($1) ORDER BY t.key_id, t.month`,
  generation: 'to_jsonb(t) FROM generation t WHERE account_id = ANY ($1) ORDER BY id',
  hold: 'to_jsonb(t) FROM hold t WHERE account_id = ANY ($1) ORDER BY generation_id',
  generation_input: 'to_jsonb(t) FROM generation_input t WHERE account_id = ANY ($1) ORDER BY generation_id, asset_id',
  transfer: `to_jsonb(t) - '{id,origin_cell,origin_id}'::text[] FROM transfer t
    WHERE account_id = ANY ($1) AND debit <> 'moved' AND credit <> 'moved' ORDER BY account_id, id`,
  asset: `to_jsonb(t) - '{object_key,variants}'::text[] FROM asset t WHERE account_id = ANY ($1) ORDER BY id`,
  event: `to_jsonb(t) - '{epoch,xid,seq}'::text[] FROM event t WHERE account_id = ANY ($1) ORDER BY account_id, epoch, xid, seq`,
  webhook_endpoint: `to_jsonb(t) - 'secret_sealed' FROM webhook_endpoint t WHERE account_id = ANY ($1) ORDER BY id`,
  delivery: `to_jsonb(t) - 'job_id' FROM delivery t WHERE account_id = ANY ($1) ORDER BY id`,
  checkout: `to_jsonb(t) - 'transfer_id' FROM checkout t WHERE account_id = ANY ($1) ORDER BY id`,
  payment_refund: `to_jsonb(t) FROM payment_refund t JOIN checkout c USING (payment_ref) WHERE c.account_id = ANY ($1)`,
  budget: `to_jsonb(t) - '{checked_transfer_id,checked_at}'::text[] FROM budget t WHERE account_id = ANY ($1) ORDER BY id`,
  usage_day: 'to_jsonb(t) FROM usage_day t WHERE account_id = ANY ($1) ORDER BY t::text',
  audit_log: `to_jsonb(t) - 'id' #- '{detail,origin}' FROM audit_log t WHERE account_id = ANY ($1)
    AND action NOT LIKE 'account.moving' AND action !~ '^account\\.(departed|arrived|move_)' ORDER BY t.at, t.action, t.account_id`,
};

/** A cell on a test database, with files in a folder. */
export async function createTestCell(name: string, { db, owner }: { db: Db; owner: Db }) {
  const dir = await mkdtemp(join(tmpdir(), `cell-${name}-`));
  const store = createDirectoryStore({ path: dir });
  const cell: Cell = {
    name,
    db,
    store,
    keys: createKeyRing([randomBytes(32)]),
    keyPrefix: await openKeyPrefix({ db }, name),
    paymentRules: { cell: name, locksDisputes: true },
    limits: TEST_LIMITS,
  };
  const path = createMoneyPath({ db, owner });
  const putFile = async (key: string) => {
    const bytes = randomBytes(100);
    await store.putBytes({ key, bytes, contentType: 'image/png' });
    return { key, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
  };
  return {
    cell,
    path,
    /** A pair with a key for each account. */
    makePair: () =>
      withTx(db, async (tx) => {
        const pair = await createAccountPair(tx, { name: 'Moving', actor: 'test', defaults: DEFAULTS });
        const key = (accountId: string) =>
          createApiKey(tx, name, { accountId, name: 'key', scopes: SCOPES, monthlyCap: 900 });
        const [live, test] = [await key(pair.accountId), await key(pair.testAccountId)];
        return {
          ownerId: pair.ownerId,
          live: { accountId: pair.accountId, keyId: live.id, key: live.key },
          test: { accountId: pair.testAccountId, keyId: test.id, key: test.key },
        };
      }),
    /** A generation that succeeded, with its file in the store. */
    async succeed(account: PathAccount, given: PathSubmission = {}): Promise<{ id: string; assetId: string }> {
      const id = await path.begin(account, given);
      const run = await path.take(id);
      if (run === undefined) throw new Error('the generation could not be taken');
      const output = sampleOutput(0);
      const place = `${cell.keyPrefix}a/${account.accountId}/${output.id}`;
      const [file, thumbnail] = [await putFile(`${place}/file`), await putFile(`${place}/thumbnail`)];
      const variants = { thumbnail: { key: thumbnail.key, bytes: thumbnail.bytes, mimeType: 'image/webp' } };
      await path.settleMany([
        {
          ...settlementOf(run),
          assets: [{ ...output, object_key: file.key, bytes: file.bytes, sha256: file.sha256, variants }],
        },
      ]);
      return { id, assetId: output.id };
    },
    async addUpload({ accountId }: PathAccount): Promise<string> {
      const id = newId();
      const file = await putFile(`${cell.keyPrefix}a/${accountId}/${id}/file`);
      await path.read(
        `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants)
         VALUES ($1, $2, 'upload', 'image', 'image/png', $3, decode($4, 'hex'), $5, '{}')`,
        [id, accountId, file.bytes, file.sha256, file.key],
      );
      return id;
    },
    async describe(accountIds: readonly string[]): Promise<Record<string, unknown[]>> {
      const found: Record<string, unknown[]> = {};
      for (const [table, text] of Object.entries(KEPT)) {
        found[table] = (
          await path.read<{ row: unknown }>(`SELECT ${text.replace(' FROM', ' AS row FROM')}`, [accountIds])
        ).map(({ row }) => row);
      }
      return found;
    },
    /** The keys of all objects but the marker of the owner. */
    async listFiles(): Promise<string[]> {
      const found = await store.list({ prefix: cell.keyPrefix, limit: 1_000 });
      return found.map(({ key }) => key).filter((key) => !key.endsWith('atelier-owner'));
    },
    async close(): Promise<void> {
      await store.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export type TestCell = Awaited<ReturnType<typeof createTestCell>>;
