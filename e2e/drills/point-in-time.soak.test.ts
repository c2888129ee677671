import { randomBytes } from 'node:crypto';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { openSandboxDatabase } from '../../scripts/sandbox/create-sandbox-database.ts';
import { findPostgresProgram, postgresUser, startPostgres, stopPostgres } from '../../scripts/services/postgres.ts';
import { runProgram } from '../../scripts/services/run-program.ts';
import { type BackingServices, postgresDir } from '../../scripts/services/state.ts';
import { type FileStack, startFileStack } from '../files/file-stack.ts';
import { makeAccount } from '../harness/account.ts';
import { call, submit, until } from '../harness/client.ts';
import { queryOnce } from '../harness/query-once.ts';
import {
  giveToServer,
  makeServerDir,
  type OwnPostgres,
  placePostgres,
  startOwnPostgres,
} from '../harness/start-own-postgres.ts';
import { runMain } from '../operate/run-main.ts';

let postgres: OwnPostgres;
let stack: FileStack;
/** The archive and the base backup, on a disk that survives the server. */
let backups: string;
let recovered: BackingServices;

beforeAll(async () => {
  const services = inject('services');
  backups = makeServerDir(join(tmpdir(), `atelier-archive-${randomBytes(5).toString('hex')}`));
  const archive = makeServerDir(join(backups, 'wal'));
  postgres = await startOwnPostgres(services);
  // The settings of docs/operate/backup.md.
  const { postgresUrl } = postgres.services;
  await queryOnce(postgresUrl, `ALTER SYSTEM SET archive_mode = 'on'`);
  await queryOnce(postgresUrl, `ALTER SYSTEM SET archive_command = 'test ! -f ${archive}/%f && cp %p ${archive}/%f'`);
  await queryOnce(postgresUrl, `ALTER SYSTEM SET archive_timeout = '60'`);
  await stopPostgres(postgres.services, 'fast');
  await startPostgres(postgres.services);
  stack = await startFileStack({ services: postgres.services });
});
afterAll(async () => {
  await stack?.stop();
  await postgres?.stop();
  if (recovered !== undefined) {
    await stopPostgres(recovered, 'immediate');
    rmSync(recovered.dir, { recursive: true, force: true });
  }
  rmSync(backups, { recursive: true, force: true });
});

async function generate(key: string): Promise<string> {
  const { body } = await submit(stack.api().url, { key });
  await until('the generation has ended', async () => {
    const read = await call(stack.api().url, `GET /v1/generations/${body.id}`, { key });
    return read.body.completedAt !== null;
  });
  return body.id;
}

/** Starts a server on a copy of the base backup, which replays the archive up to the time. */
async function recover(to: string): Promise<BackingServices> {
  const services = await placePostgres(postgres.services);
  const data = postgresDir(services);
  await runProgram('cp', ['-a', join(backups, 'base'), data], { cwd: '/' });
  appendFileSync(
    join(data, 'postgresql.auto.conf'),
    [
      `restore_command = 'cp ${join(backups, 'wal')}/%f %p'`,
      `recovery_target_time = '${to}'`,
      `recovery_target_action = 'promote'`,
      '',
    ].join('\n'),
  );
  writeFileSync(join(data, 'recovery.signal'), '');
  giveToServer(join(data, 'recovery.signal'));
  await startPostgres(services);
  await until(
    'the server has reached the target and accepts writes',
    async () => {
      const [row] = await queryOnce<{ recovering: boolean }>(
        services.postgresUrl,
        'SELECT pg_is_in_recovery() AS recovering',
      );
      return row?.recovering === false;
    },
    120_000,
  );
  return services;
}

test('a base backup and the archived log restore the service to a moment before a mistake', async () => {
  const { postgresUrl } = postgres.services;
  const { key, accountId } = await makeAccount(stack);
  const inBase = await generate(key);
  await runProgram(
    findPostgresProgram('pg_basebackup'),
    [
      `--pgdata=${join(backups, 'base')}`,
      '--checkpoint=fast',
      '--host=127.0.0.1',
      `--port=${postgres.services.ports.postgres}`,
      '--username=postgres',
    ],
    { cwd: '/', user: postgresUser() },
  );
  const inLog = await generate(key);
  const [target] = await queryOnce<{ at: string }>(postgresUrl, 'SELECT clock_timestamp()::text AS at');
  // Commits are compared with the target by time, so the next one must be later.
  await sleep(50);
  const afterTarget = await generate(key);
  await queryOnce(stack.ownerUrl, `UPDATE account SET name = 'a mistake' WHERE id = '${accountId}'`);
  const [segment] = await queryOnce<{ name: string }>(
    postgresUrl,
    'SELECT pg_walfile_name(pg_current_wal_lsn()) AS name, pg_switch_wal()',
  );
  await until('the log is archived', async () => {
    const [row] = await queryOnce<{ done: boolean }>(
      postgresUrl,
      `SELECT last_archived_wal >= '${segment?.name}' AS done FROM pg_stat_archiver`,
    );
    return row?.done;
  });
  for (const member of stack.members) member.signal('SIGTERM');
  await Promise.all(stack.members.map((member) => member.gone()));

  recovered = await recover(target?.at as string);
  const database = openSandboxDatabase(recovered.postgresUrl, new URL(stack.ownerUrl).pathname.slice(1));
  const env = { ...stack.env, DATABASE_URL: database.appUrl, DATABASE_OWNER_URL: database.ownerUrl };
  for (const args of [['migrate'], ['bucket', 'claim', '--bucket', stack.bucket.name], ['verify', '--objects']]) {
    const { code, stdout, stderr } = await runMain(args, env);
    expect([args[0], code], stdout + stderr).toEqual([args[0], 0]);
  }

  const places = { DATABASE_URL: database.appUrl, DATABASE_OWNER_URL: database.ownerUrl };
  const [api] = await Promise.all([stack.start('api', places), stack.start('worker', places)]);
  const statusOf = async (id: string) => (await call(api.url, `GET /v1/generations/${id}`, { key })).status;
  expect([await statusOf(inBase), await statusOf(inLog), await statusOf(afterTarget)]).toEqual([200, 200, 404]);
  const [account] = await queryOnce<{ name: string }>(
    database.ownerUrl,
    `SELECT name FROM account WHERE id = '${accountId}'`,
  );
  expect(account?.name).toBe('test');

  // The recovered service works, and its events follow the earlier ones.
  const fresh = (await submit(api.url, { key })).body;
  const feed = await until('the new event is in the feed', async () => {
    const { body } = await call<{ items: Array<{ data: { generation: { id: string } } }> }>(
      api.url,
      'GET /v1/events?limit=100',
      { key },
    );
    return body.items.length === 3 && body.items;
  });
  expect(feed.map((event) => event.data.generation.id)).toEqual([inBase, inLog, fresh.id]);
  expect(await runMain(['verify', '--objects'], env)).toMatchObject({ code: 0 });
});
