import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@atelier/server/entry/config/config.ts';
import { migrate } from '@atelier/server/entry/migrate.ts';
import pg from 'pg';
import { currentDir } from '../services/read-services.ts';
import type { BackingServices } from '../services.ts';
import { createSandboxBucket, dropSandboxBucket } from './create-sandbox-bucket.ts';
import { createSandboxDatabase, createSandboxRoles, openSandboxDatabase } from './create-sandbox-database.ts';
import { readRecord, save } from './registry.ts';
import { sandboxEnv } from './sandbox-env.ts';
import { type Fixture, seedSandbox } from './seed-sandbox.ts';
import { CLOCK_CHECK_SECONDS, createToldClock, useToldClock } from './told-clock.ts';

/** What a sandbox with --keep stores for the next start. */
interface Kept {
  readonly postgresUrl: string;
  readonly databaseName: string;
  readonly bucket: string;
  readonly masterKey: string;
  readonly fixture: Fixture;
}

const keptFile = () => join(currentDir(), 'kept-sandbox.json');

export interface Ports {
  readonly api: number;
  readonly cdn: number;
  readonly console: number;
  readonly desk: number;
  readonly metrics: number;
  /** The port of the user's webhook receiver; the sandbox does not listen there. */
  readonly hook: number;
}

export interface SandboxData {
  /** The environment of the service and of operator commands. */
  readonly env: Record<string, string>;
  /** The database, as the desk logs in to it. */
  readonly deskDatabaseUrl: string;
  readonly fixture: Fixture;
  readonly isReused: boolean;
  drop(): Promise<void>;
}

/** The database, bucket and accounts of a sandbox: new, or with `keep` those of the last start. */
export async function openSandboxData(options: {
  services: BackingServices;
  ports: Ports;
  keep: boolean;
  /** With a clock that tests can advance. */
  clock: boolean;
}): Promise<SandboxData> {
  const { services, ports } = options;
  const kept = options.keep ? await findKept(services) : null;
  // A kept server may be older than one of the roles.
  if (kept !== null) await createSandboxRoles(services.postgresUrl);
  const database =
    kept === null
      ? await createSandboxDatabase(services.postgresUrl)
      : openSandboxDatabase(services.postgresUrl, kept.databaseName);
  const bucket = kept?.bucket ?? (await createSandboxBucket(services));
  const masterKey = kept?.masterKey ?? randomBytes(32).toString('base64');
  if (options.clock) await createToldClock(database.ownerUrl);
  const env = {
    ...sandboxEnv({ services, database, cdnPort: ports.cdn, bucket, masterKey }),
    PUBLIC_URL: `http://127.0.0.1:${ports.api}`,
    PORT: String(ports.api),
    CDN_PORT: String(ports.cdn),
    CONSOLE_URL: `http://localhost:${ports.console}`,
    CONSOLE_PORT: String(ports.console),
    DESK_URL: `http://localhost:${ports.desk}`,
    DESK_PORT: String(ports.desk),
    DESK_SECOND_FACTOR: 'off',
    SIGN_UP: 'open',
    METRICS_PORT: String(ports.metrics),
    ...(options.clock && { CLOCK_CHECK_SECONDS: String(CLOCK_CHECK_SECONDS) }),
  };
  let fixture = kept?.fixture;
  if (fixture === undefined) ({ fixture } = await seedSandbox(env, { hookPort: ports.hook }));
  else await migrate(readConfig(env), () => {});
  if (options.clock) await useToldClock(database.ownerUrl);
  if (options.keep) {
    const { postgresUrl } = services;
    save(
      keptFile(),
      JSON.stringify({ postgresUrl, databaseName: database.name, bucket, masterKey, fixture } satisfies Kept),
    );
  }
  return {
    env,
    deskDatabaseUrl: database.deskUrl,
    fixture,
    isReused: kept !== null,
    async drop() {
      await dropSandboxBucket(services, bucket).catch(() => {});
      await database.drop();
    },
  };
}

/** The port of the webhook receiver is kept too, because the endpoints contain it. */
export function findKeptHookPort(): number | null {
  const port = readRecord<Kept>(keptFile())?.fixture.webhook.port;
  return typeof port === 'number' ? port : null;
}

/** Kept data is valid only with the same services: `services down` removes their data. */
async function findKept(services: BackingServices): Promise<Kept | null> {
  const kept = existsSync(keptFile()) ? readRecord<Kept>(keptFile()) : null;
  if (kept === null) return null;
  const client = new pg.Client({ connectionString: services.postgresUrl });
  await client.connect();
  try {
    const found = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [kept.databaseName]);
    if (kept.postgresUrl === services.postgresUrl && found.rowCount === 1) return kept;
  } finally {
    await client.end();
  }
  rmSync(keptFile(), { force: true });
  return null;
}
