import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createDirectoryStore } from '../../platform/object-store/directory-store.ts';
import { createMoneyPath } from '../generations/testing/create-money-path.ts';
import { type ExportSink, exportAccount } from './export-account.ts';
import { SECTIONS } from './exports.store.ts';

const database = await openTestDatabase();
const { db, owner } = database;
const path = createMoneyPath(database);
const dir = await mkdtemp(join(tmpdir(), 'atelier-export-'));
const store = createDirectoryStore({ path: dir });
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Tables that name an account and are not exported, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  openai_call: 'fingerprints of recent requests, deleted within a day',
  pairing: 'codes that expire within minutes; the key is exported',
  parked_payment_event: 'payment events that wait for their account, kept by the provider',
  payment_event: 'which payment events were applied; the checkouts are exported',
  queue_gap: 'how positions in the queue are computed',
  request_record: 'which requests were refused, for operators, deleted after two weeks',
  run_failure: "the provider's own messages, for operators",
  usage_position: 'how far usage is counted',
};

function createMemorySink() {
  const lines: Record<string, object[]> = {};
  const files: Record<string, string> = {};
  const sink: ExportSink = {
    async writeLines(name, given) {
      const rows: object[] = [];
      for await (const line of given) rows.push(JSON.parse(line) as object);
      lines[name] = rows;
      return { lines: rows.length };
    },
    async writeFile(name, content) {
      files[name] = (await buffer(content)).toString();
    },
  };
  return { sink, lines, files };
}

test('every table that names an account is exported, or left out for a reason', async () => {
  const { rows } = await owner.pool.query<{ name: string }>(
    `SELECT c.table_name AS name FROM information_schema.columns c JOIN information_schema.tables t USING (table_schema, table_name)
     WHERE c.table_schema = 'public' AND c.column_name = 'account_id' AND t.table_type = 'BASE TABLE' ORDER BY 1`,
  );
  const texts = SECTIONS.map(({ statement }) => statement.text).join('\n');
  const missing = rows.map(({ name }) => name).filter((name) => !new RegExp(`(FROM|JOIN) ${name} `).test(texts));
  expect(missing).toEqual(Object.keys(LEFT_OUT).sort());
});

test('an export has the rows and files of the account, and no secret', async () => {
  const account = await path.makeAccount();
  const stranger = await path.makeAccount();
  const generationId = await path.begin(account);
  await path.finish(generationId);
  await path.finish(await path.begin(stranger));
  const assetId = randomUUID();
  const key = `a/${account.accountId}/${assetId}/file`;
  await store.putBytes({ key, bytes: Buffer.from('a picture'), contentType: 'image/png' });
  await owner.pool.query(
    `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants)
     VALUES ($1, $2, 'upload', 'image', 'image/png', 9, $3, $4, '{}')`,
    [assetId, account.accountId, Buffer.alloc(32), key],
  );

  const { sink, lines, files } = createMemorySink();
  const report = await exportAccount({ db, store }, { accountId: account.accountId, sink });
  expect(Object.keys(lines)).toEqual(SECTIONS.map(({ name }) => name));
  expect(lines.account).toMatchObject([{ id: account.accountId }]);
  expect(lines.generations).toMatchObject([{ id: generationId, account_id: account.accountId }]);
  expect(lines.transfers?.length).toBeGreaterThanOrEqual(3);
  expect(lines.events).toMatchObject([{ generation_id: generationId }]);
  expect(lines.assets).toContainEqual(expect.objectContaining({ id: assetId, file: `files/${assetId}.png` }));
  expect(files[`files/${assetId}.png`]).toBe('a picture');
  expect(report.rows.generations).toBe(1);
  const text = JSON.stringify(lines);
  expect(text).not.toContain(stranger.accountId);
  for (const name of ['"hash"', 'secret_sealed', 'fingerprint', 'object_key', 'token_hash'])
    expect(text).not.toContain(name);
});

test('a file that the bucket does not have is reported, and the rest is exported', async () => {
  const account = await path.makeAccount();
  const assetId = randomUUID();
  await owner.pool.query(
    `INSERT INTO asset (id, account_id, source, kind, mime_type, bytes, sha256, object_key, variants)
     VALUES ($1, $2, 'upload', 'image', 'image/webp', 9, $3, $4, '{}')`,
    [assetId, account.accountId, Buffer.alloc(32), `a/${account.accountId}/${assetId}/file`],
  );
  const { sink } = createMemorySink();
  const report = await exportAccount({ db, store }, { accountId: account.accountId, sink });
  expect(report).toMatchObject({ files: 0, missing: [`files/${assetId}.webp`] });
});

test('an export of more rows than one batch is complete', async () => {
  const account = await path.makeAccount();
  await owner.pool.query(
    `INSERT INTO audit_log (actor, action, account_id) SELECT 'Ada', 'account.renamed', $1 FROM generate_series(1, 1201)`,
    [account.accountId],
  );
  const { sink, lines } = createMemorySink();
  await exportAccount({ db, store }, { accountId: account.accountId, sink });
  expect(lines.audit?.length).toBeGreaterThanOrEqual(1_201);
});

test('an unknown account is refused', async () => {
  const { sink } = createMemorySink();
  await expect(exportAccount({ db, store }, { accountId: randomUUID(), sink })).rejects.toMatchObject({
    code: 'not_found',
  });
});
