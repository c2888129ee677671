import { randomBytes } from 'node:crypto';
import pg from 'pg';

export interface SandboxDatabase {
  readonly name: string;
  /** Logs in as the owner, for migrations. */
  readonly ownerUrl: string;
  /** Logs in as the running service: a member of atelier_app. */
  readonly appUrl: string;
  /** Logs in as the operator's desk: a member of atelier_desk. */
  readonly deskUrl: string;
  drop(): Promise<void>;
}

const APP_ROLE = 'atelier_service';
const DESK_ROLE = 'atelier_operator';

/** Creates a database on a temporary server, with the roles of the service and of the desk. */
export async function createSandboxDatabase(
  superuserUrl: string,
  name = `atelier_${randomBytes(5).toString('hex')}`,
): Promise<SandboxDatabase> {
  await createSandboxRoles(superuserUrl);
  await runStatements(superuserUrl, [`CREATE DATABASE ${name}`]);
  return openSandboxDatabase(superuserUrl, name);
}

/** Keeps the roles that exist. */
export function createSandboxRoles(superuserUrl: string): Promise<void> {
  return runStatements(superuserUrl, [
    `DO $$ BEGIN
       IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'atelier_app') THEN CREATE ROLE atelier_app NOLOGIN; END IF;
       IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${APP_ROLE}') THEN CREATE ROLE ${APP_ROLE} LOGIN IN ROLE atelier_app; END IF;
       IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'atelier_desk') THEN CREATE ROLE atelier_desk NOLOGIN; END IF;
       IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '${DESK_ROLE}') THEN CREATE ROLE ${DESK_ROLE} LOGIN IN ROLE atelier_desk; END IF;
     EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  ]);
}

/** A database that exists already. */
export function openSandboxDatabase(superuserUrl: string, name: string): SandboxDatabase {
  const ownerUrl = new URL(superuserUrl);
  ownerUrl.pathname = `/${name}`;
  const urlAs = (user: string) => {
    const url = new URL(ownerUrl);
    url.username = user;
    return String(url);
  };
  return {
    name,
    ownerUrl: String(ownerUrl),
    appUrl: urlAs(APP_ROLE),
    deskUrl: urlAs(DESK_ROLE),
    drop: () => runStatements(superuserUrl, [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`]).catch(() => {}),
  };
}

/** Runs the statements one after another on a connection of their own. */
export async function runStatements(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}
