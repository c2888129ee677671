import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findProgram } from '../../scripts/services/find-program.ts';
import { pickFreePort } from '../../scripts/services/pick-free-port.ts';
import { postgresUser } from '../../scripts/services/postgres.ts';
import { until } from './client.ts';

export interface PgBouncer {
  /** The same database and role, through the pooler. */
  urlOf(databaseUrl: string): string;
  /** Rows of a command of its console, such as `SHOW POOLS`. */
  show(command: string): Promise<Array<Record<string, unknown>>>;
  readLog(): string;
  stop(): Promise<void>;
}

const WORLD_READABLE = 0o755;
const ADMIN = 'pgbouncer_admin';

/**
 * PgBouncer in transaction mode, with the settings of docs/operate/pgbouncer.md. Server connections are used in turn, so that
 * the next transaction of a client is likely to get another one: what a session leaves behind shows.
 */
export async function startPgBouncer(options: { postgresUrl: string; poolSize: number }): Promise<PgBouncer> {
  const server = new URL(options.postgresUrl);
  const dir = join(tmpdir(), `atelier-pgbouncer-${randomBytes(5).toString('hex')}`);
  const port = await pickFreePort();
  mkdirSync(dir, { mode: WORLD_READABLE });
  const users = ['atelier_service', 'atelier_operator', ADMIN];
  writeFileSync(join(dir, 'users.txt'), users.map((name) => `"${name}" ""\n`).join(''));
  writeFileSync(
    join(dir, 'pgbouncer.ini'),
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(dir, 'users.txt')}
admin_users = ${ADMIN}
pool_mode = transaction
default_pool_size = ${options.poolSize}
max_client_conn = 500
ignore_startup_parameters = options
server_round_robin = 1
logfile = ${join(dir, 'log')}
`,
  );
  const user = postgresUser();
  if (user) chownSync(dir, user.uid, user.gid);
  const program = findProgram({ program: 'pgbouncer', debianPackage: 'pgbouncer' });
  const child = spawn(program, [join(dir, 'pgbouncer.ini')], { cwd: dir, stdio: 'ignore', ...user });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));

  const show = async (command: string) => {
    const client = new pg.Client({ connectionString: `postgres://${ADMIN}@127.0.0.1:${port}/pgbouncer` });
    await client.connect();
    try {
      return (await client.query(command)).rows as Array<Record<string, unknown>>;
    } finally {
      await client.end();
    }
  };
  const readLog = () => {
    try {
      return readFileSync(join(dir, 'log'), 'utf8');
    } catch {
      return '';
    }
  };
  try {
    await until('PgBouncer answers', async () => {
      if (child.exitCode !== null) throw new Error(`PgBouncer exited (${child.exitCode}): ${readLog()}`);
      return show('SHOW VERSION').catch(() => null);
    });
  } catch (error) {
    child.kill('SIGKILL');
    rmSync(dir, { recursive: true, force: true });
    throw error;
  }
  return {
    urlOf(databaseUrl) {
      const url = new URL(databaseUrl);
      url.port = String(port);
      return String(url);
    },
    show,
    readLog,
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await gone;
      clearTimeout(timer);
      rmSync(dir, { recursive: true, force: true });
    },
  };
}
