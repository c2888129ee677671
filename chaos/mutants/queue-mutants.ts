import { code, type Mutant, sql } from './mutant.ts';

const FAILURE = 'domain/generations/run/decide-failure.test.ts';
const MIGRATE = 'entry/migrate';

export const queueMutants: readonly Mutant[] = [
  code('platform/db.ts', {
    name: 'statement transaction of two statements',
    find: "if (used) throw new Error('a statement transaction allows one statement');",
    replace: '',
    tests: ['queue/enqueue'],
  }),
  code('platform/db.ts', {
    name: 'failed transaction is committed',
    find: "await client.query('ROLLBACK').catch(drop);",
    replace: "await client.query('COMMIT').catch(drop);",
    tests: ['queue/enqueue'],
  }),
  sql('functions/queue', {
    name: 'job without the retries of its queue',
    find: '         q.retry_limit, q.retry_delay, coalesce',
    replace: '         0, q.retry_delay, coalesce',
    tests: ['queue/enqueue'],
  }),
  code('queue/start-pump.ts', {
    name: 'more jobs at a time than allowed',
    find: 'options.concurrency - active.size',
    replace: 'options.concurrency',
    tests: ['queue/start-pump'],
  }),
  code('queue/start-pump.ts', {
    name: 'failed job counted as done',
    find: 'returned.add({ id: job.id, retryCount: job.retryCount });',
    replace: 'completed.add({ id: job.id, retryCount: job.retryCount });',
    tests: ['queue/start-pump'],
  }),
  code('queue/start-pump.ts', {
    name: 'paused pump fetches',
    find: 'if (options.isPaused?.() === true) {',
    replace: 'if (options.isPaused === undefined) {',
    tests: ['queue/start-pump'],
  }),
  code('queue/start-pump.ts', {
    name: 'report during a renewal of leases',
    find: 'await renewal;',
    replace: '',
    tests: ['queue/pump-leases'],
  }),
  code('queue/create-boss.ts', {
    name: 'queue keeps plans',
    find: ', planEachTime: true',
    replace: '',
    tests: ['queue/create-boss'],
  }),
  code('platform/db.ts', {
    name: 'every commit is asynchronous',
    find: "options.asyncCommit ? ' -c synchronous_commit=off' : ''",
    replace: "' -c synchronous_commit=off'",
    tests: ['queue/create-boss'],
  }),
  code('queue/install-queues.ts', {
    name: 'table of a queue without statistics',
    find: 'await seedStatistics(client);',
    replace: '',
    tests: ['queue/install-queues'],
  }),
  code('queue/install-queues.ts', {
    name: 'queue moved without its jobs',
    find: "await client.query('INSERT INTO pgboss.job SELECT * FROM pgboss.moved_job');",
    replace: '',
    tests: ['queue/install-queues'],
  }),
  code('queue/install-queues.ts', {
    name: 'table of a moved queue without privileges',
    find: 'for (const { grant } of rows) await client.query(grant);',
    replace: 'void rows;',
    tests: ['queue/install-queues'],
  }),
  code('domain/generations/run/runs.store.ts', {
    name: 'sweep adds a second job',
    find: 'own.found IS NULL AND other.found IS NULL',
    replace: 'own.found IS NULL',
    tests: ['domain/generations/run/sweep-stuck'],
  }),
  code('domain/generations/run/decide-failure.ts', {
    name: 'generation fails while the database is unavailable',
    find: "if (isDatabaseUnavailable(error)) return { kind: 'abandon' };",
    replace: '',
    tests: [FAILURE],
  }),
  code('domain/generations/run/decide-failure.ts', {
    name: 'worker without a lease decides',
    find: 'if (state.leaseLost || ',
    replace: 'if (',
    tests: [FAILURE],
  }),
  code('domain/generations/run/decide-failure.ts', {
    name: 'endless retries',
    find: '(retryable || elsewhere) && state.tries < MAX_TRIES',
    replace: '(retryable || elsewhere)',
    tests: [FAILURE],
  }),
  code('entry/migrate.ts', {
    name: 'migrations run concurrently',
    find: 'await lockMigrations(client, report);',
    replace: '',
    tests: [MIGRATE],
  }),
  code('entry/apply-migration.ts', {
    name: 'partial migration stays',
    find: "await client.query('BEGIN');",
    replace: '',
    tests: [MIGRATE],
  }),
];
