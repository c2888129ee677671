import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifyBooks } from '@atelier/server/domain/ledger/verify-books.ts';
import { createDb, type Db } from '@atelier/server/platform/db.ts';
import { createSandboxDatabase } from '../../scripts/sandbox/create-sandbox-database.ts';
import { freePorts } from '../../scripts/sandbox/free-ports.ts';
import { sandboxEnv } from '../../scripts/sandbox/sandbox-env.ts';
import type { BackingServices } from '../../scripts/services.ts';
import { cloneTemplate } from '../../test/clone-template.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const READY_TIMEOUT_MS = 90_000;

export type RoleName = 'api' | 'worker' | 'cdn' | 'console' | 'desk';

/** One process of the service. */
export interface Member {
  readonly role: RoleName;
  readonly url: string;
  readonly metricsUrl: string;
  readonly pid: number;
  readonly logs: string[];
  alive(): boolean;
  signal(signal: NodeJS.Signals): void;
  /** Resolves when the process has exited, for any reason. */
  gone(): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

export interface Stack {
  /** Logs in with the role of the service, for reading and for domain functions. */
  readonly db: Db;
  readonly ownerUrl: string;
  readonly appUrl: string;
  readonly env: Readonly<Record<string, string>>;
  readonly members: readonly Member[];
  api(n?: number): Member;
  /** `launch` is prepended to the command, for example to change the mounts of the process. */
  start(role: RoleName, env?: Record<string, string>, launch?: readonly string[]): Promise<Member>;
  /** Later processes run from this folder, for example that of another version. */
  useInstallation(folder: string): void;
  /** Fails the test with every broken invariant. */
  assertBooks(): Promise<void>;
  stop(): Promise<void>;
}

export interface StackOptions {
  readonly services: BackingServices;
  readonly apis?: number;
  readonly workers?: number;
  readonly cdns?: number;
  readonly env?: Record<string, string>;
  /** The folder with the installed service; without it, this repository. */
  readonly installation?: string;
  /** Prepares the database; without it, it is a clone of one that this version migrated. */
  readonly migrate?: (env: Readonly<Record<string, string>>) => Promise<void>;
}

/** The service as an operator runs it: real processes on a separate database. */
export async function startStack(options: StackOptions): Promise<Stack> {
  const { services } = options;
  const database =
    options.migrate === undefined
      ? await cloneTemplate(services.postgresUrl, { durable: true })
      : await createSandboxDatabase(services.postgresUrl);
  const [cdnPort] = await freePorts(1);
  // A killed process leaves its spool behind; the stack deletes it.
  const scratchDir = await mkdtemp(join(tmpdir(), 'atelier-stack-'));
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    // Halves the start time of a process; the cache is keyed by content.
    NODE_COMPILE_CACHE: `${root}.cache/compile`,
    TMPDIR: scratchDir,
    WEIGHTS_DIR: process.env.WEIGHTS_DIR ?? '',
    ...sandboxEnv({ services, database, cdnPort: cdnPort as number }),
    SHUTDOWN_SECONDS: '10',
    ...options.env,
  };
  await options.migrate?.(env);
  const db = createDb({
    url: database.appUrl,
    applicationName: 'e2e',
    maxConnections: 10,
    statementTimeoutMs: 60_000,
    onIdleError: () => {},
  });
  const members: Member[] = [];
  let installation = options.installation ?? root;
  const start = async (role: RoleName, extra: Record<string, string> = {}, launch: readonly string[] = []) => {
    // Links point to the first cdn; further ones get their own port.
    const isFirstCdn = role === 'cdn' && !members.some((each) => each.role === 'cdn' && each.alive());
    const fixedPort = isFirstCdn ? (cdnPort as number) : null;
    const member = await startMember(role, {
      env: { ...env, ...(role === 'desk' ? { DATABASE_URL: database.deskUrl } : {}), ...extra },
      fixedPort,
      launch,
      installation,
    });
    members.push(member);
    return member;
  };
  const stop = async () => {
    for (const member of members) if (member.alive()) member.signal('SIGCONT');
    for (const member of members) if (member.alive()) member.signal('SIGTERM');
    await Promise.all(members.map((member) => member.gone()));
    await db.pool.end();
    await database.drop();
    await rm(scratchDir, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await Promise.all([
      ...Array.from({ length: options.apis ?? 1 }, () => start('api')),
      ...Array.from({ length: options.workers ?? 1 }, () => start('worker')),
      ...Array.from({ length: options.cdns ?? 0 }, () => start('cdn')),
    ]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    db,
    ownerUrl: database.ownerUrl,
    appUrl: database.appUrl,
    env,
    members,
    api: (n = 0) => {
      const member = members.filter((each) => each.role === 'api' && each.alive())[n];
      if (member === undefined) throw new Error(`no API ${n}`);
      return member;
    },
    start,
    useInstallation(folder) {
      installation = folder;
    },
    async assertBooks() {
      const broken = (await verifyBooks({ db })).filter((check) => check.violations > 0);
      if (broken.length > 0) {
        throw new Error(
          broken
            .map(
              (check) => `${check.id} ${check.claim}: ${check.violations} ${JSON.stringify(check.first.slice(0, 3))}`,
            )
            .join('\n'),
        );
      }
    },
    stop,
  };
}

async function startMember(
  role: RoleName,
  options: { env: Record<string, string>; fixedPort: number | null; launch: readonly string[]; installation: string },
): Promise<Member> {
  const { env, fixedPort } = options;
  const [port, metricsPort] = await freePorts(2);
  const listenPort = fixedPort ?? (port as number);
  // The cookies of people and their passkeys belong to a name, not to an address.
  const url = `http://${role === 'console' || role === 'desk' ? 'localhost' : '127.0.0.1'}:${listenPort}`;
  const command = [
    ...options.launch,
    process.execPath,
    join(options.installation, 'packages/server/src/main.ts'),
    role,
  ];
  const child: ChildProcess = spawn(command[0] as string, command.slice(1), {
    env: {
      ...env,
      PORT: String(listenPort),
      CDN_PORT: String(listenPort),
      CONSOLE_PORT: String(listenPort),
      DESK_PORT: String(listenPort),
      METRICS_PORT: String(metricsPort),
      ...(role === 'api' ? { PUBLIC_URL: url } : {}),
      ...(role === 'console' ? { CONSOLE_URL: url } : {}),
      ...(role === 'desk' ? { DESK_URL: url } : {}),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const logs: string[] = [];
  const keep = (chunk: Buffer) => {
    logs.push(chunk.toString());
    if (logs.length > 2_000) logs.shift();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const gone = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const member: Member = {
    role,
    url,
    metricsUrl: `http://127.0.0.1:${metricsPort}`,
    pid: child.pid as number,
    logs,
    alive: () => child.exitCode === null && child.signalCode === null,
    signal: (signal) => void child.kill(signal),
    gone: () => gone,
  };
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    if (!member.alive()) {
      throw new Error(`${role} exited during startup (${child.signalCode ?? child.exitCode}):\n${logs.join('')}`);
    }
    const answer = await fetch(`${member.metricsUrl}/readyz`).catch(() => null);
    if (answer?.ok) return member;
    if (Date.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${role} did not become ready:\n${logs.join('')}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
