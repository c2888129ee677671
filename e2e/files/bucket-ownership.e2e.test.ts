import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Asset } from '@atelier/contract';
import { sweepFiles } from '@atelier/server/domain/assets/bucket/sweep-files.ts';
import { systemClock } from '@atelier/server/platform/clock.ts';
import { createDb, type Db, statement } from '@atelier/server/platform/db.ts';
import { createLog } from '@atelier/server/platform/log.ts';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createSandboxDatabase, type SandboxDatabase } from '../../scripts/sandbox/create-sandbox-database.ts';
import { findPostgresProgram } from '../../scripts/services/postgres.ts';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { readMetric } from '../harness/read-metric.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';
import { enqueueNow, type FileStack, startFileStack } from './file-stack.ts';
import { makeFile, makeFolder } from './make-file.ts';
import { sendUpload } from './send-upload.ts';

const run = promisify(execFile);
const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url));
const FILES = 6;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let png: string;
/** Two installations with the same settings, on one bucket. */
let first: FileStack;
let second: Stack;
let accounts: { first: TestAccount; second: TestAccount };

beforeAll(async () => {
  folder = await makeFolder();
  png = await makeFile(folder.dir, 'png');
  first = await startFileStack({ services: inject('services'), cdns: 1 });
  second = await startStack({ services: inject('services'), cdns: 1, env: { S3_BUCKET: first.bucket.name } });
  accounts = { first: await makeAccount(first), second: await makeAccount(second) };
});
afterAll(async () => {
  await second.stop();
  await first.stop();
  await folder.remove();
});

/** A sweep like that of the worker, with orphans of any age: the worst case for other installations. */
const sweep = (db: Db) =>
  sweepFiles(
    { db, store: first.bucket.store, clock: systemClock, log: createLog({ level: 'silent' }) },
    { signal: new AbortController().signal, orphanAgeMs: -60_000 },
  );

async function upload(member: Member, { key }: TestAccount): Promise<Asset[]> {
  const answers = await Promise.all(Array.from({ length: FILES }, () => sendUpload(member.url, { key, path: png })));
  for (const answer of answers) expect(answer).toMatchObject({ status: 201 });
  return answers.map((answer) => answer.body);
}

async function expectServed(assets: readonly Asset[]): Promise<void> {
  for (const { url, thumbnailUrl } of assets) {
    for (const link of [url, thumbnailUrl]) expect((await fetch(link)).status).toBe(200);
  }
}

async function detailsOf(member: Member): Promise<object> {
  const answer = await fetch(`${member.metricsUrl}/readyz`);
  return ((await answer.json()) as { details: object }).details;
}

test('bucket ownership: two installations on one bucket sweep, and nothing is lost', async () => {
  const files = [...(await upload(first.api(), accounts.first)), ...(await upload(second.api(), accounts.second))];
  const before = await first.bucket.keys();
  for (const { db } of [first, second, first]) expect(await sweep(db)).toEqual({ expired: 0, orphans: 0, refused: [] });
  expect(await first.bucket.keys()).toEqual(before);
  expect(before).toHaveLength(files.length * 2);
  await expectServed(files);
});

test('bucket ownership: a restored copy deletes nothing until the operator claims the bucket for it', async () => {
  const files = await upload(first.api(), accounts.first);
  const copy = await restoreCopy();
  const copyDb = createDb({ url: copy.appUrl, applicationName: 'e2e-copy', maxConnections: 3, onIdleError: () => {} });
  const env = { DATABASE_URL: copy.appUrl, DATABASE_OWNER_URL: copy.ownerUrl };
  const [api, worker] = await Promise.all([first.start('api', env), first.start('worker', env)]);
  try {
    // All files of the copy are expired, and it does not know what the original stored since the backup.
    await copyDb.query(statement('e2e_expire_all', `UPDATE asset SET expires_at = now() - interval '1 minute'`));
    const since = await upload(first.api(), accounts.first);
    await enqueueNow({ db: copyDb }, 'sweep-files');
    await until('the worker of the copy reports why it deletes nothing', async () =>
      worker.logs.join('').includes('sweep refused to delete files'),
    );
    expect(await sweep(copyDb)).toMatchObject({ expired: 0, orphans: 0 });
    await expectServed([...files, ...since]);
    expect(await readMetric(worker, 'atelier_bucket_refusals')).toBe(1);
    expect(JSON.stringify(await detailsOf(worker))).toContain('restored copy');

    // The copy still works, and the sweep of the original does not delete its files.
    const [own] = await upload(api, accounts.first);
    expect(await sweep(first.db)).toEqual({ expired: 0, orphans: 0, refused: [] });
    expect((await first.bucket.keys()).filter((key) => key.includes(own?.id ?? '-'))).toHaveLength(2);

    const operate = (...args: string[]) =>
      run(process.execPath, [main, 'bucket', ...args], { env: { ...first.env, ...env } });
    await expect(operate('claim', '--bucket', 'another')).rejects.toMatchObject({ code: 2 });
    await operate('claim', '--bucket', first.bucket.name, '--actor', 'Ada');
    expect((await operate('show', '--json')).stdout).not.toContain('restored copy');
    const swept = await sweep(copyDb);
    expect(swept.refused).toEqual([]);
    expect(swept.expired).toBeGreaterThanOrEqual(files.length);

    // Now the original may not delete.
    expect((await sweep(first.db)).refused.join()).toContain('claimed by another installation');
    const [original] = first.members.filter((member) => member.role === 'worker');
    expect(JSON.stringify(await detailsOf(original as Member))).toContain('claimed by another installation');
  } finally {
    for (const member of [api, worker]) member.signal('SIGTERM');
    await Promise.all([api.gone(), worker.gone()]);
    await copyDb.pool.end();
    await copy.drop();
  }
});

/** Dumps and restores the database of the first installation, like an operator. */
async function restoreCopy(): Promise<SandboxDatabase> {
  const dump = join(folder.dir, 'dump');
  await run(findPostgresProgram('pg_dump'), ['--format=custom', `--file=${dump}`, first.ownerUrl]);
  const copy = await createSandboxDatabase(inject('services').postgresUrl);
  await run(findPostgresProgram('pg_restore'), [`--dbname=${copy.ownerUrl}`, dump]);
  return copy;
}
