import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { parseArgs } from 'node:util';
import { type BuiltConsole, buildConsole } from '../packages/console/build-console.ts';
import { freePorts } from './sandbox/free-ports.ts';
import { findKeptHookPort, openSandboxData, type Ports, type SandboxData } from './sandbox/open-sandbox-data.ts';
import { describeOperator } from './sandbox/operator-actions.ts';
import { renderSandbox } from './sandbox/print-sandbox.ts';
import {
  envFile,
  findRunning,
  forgetStartedServices,
  noteStartedServices,
  recordFile,
  removeRecord,
  whileLocked,
  writeRecord,
} from './sandbox/registry.ts';
import { waitForOffer, waitUntilReady } from './sandbox/wait-until-ready.ts';
import { currentDir } from './services/read-services.ts';
import { REPOSITORY_ROOT } from './services/state.ts';
import { type BackingServices, readServices, startServices, stopServices } from './services.ts';

const HELP = `usage: npm run sandbox [-- options]

Starts temporary services, migrates, creates accounts and keys, and runs the whole service in one process.
Ctrl-C stops everything. Several sandboxes can run in one clone.

  --port N  port of the API (default: a free one)
  --keep    keep the data when the sandbox stops, and use it again at the next start with --keep;
            npm run services -- down removes it
  --desk    also run the operator's desk, in a process of its own
  --clock   a clock that tests can advance, for the conformance kit
  --watch   restart the service when its source changes (npm run dev)
  --json    print the result as JSON
  --help    show this text`;

interface Options {
  readonly port: number | null;
  readonly keep: boolean;
  readonly desk: boolean;
  readonly clock: boolean;
  readonly watch: boolean;
  readonly json: boolean;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      port: { type: 'string' },
      keep: { type: 'boolean', default: false },
      desk: { type: 'boolean', default: false },
      clock: { type: 'boolean', default: false },
      watch: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  if (values.help) return console.log(HELP);
  const port = values.port === undefined ? null : Number(values.port);
  if (port !== null && !(Number.isInteger(port) && port > 0 && port < 65_536)) {
    throw new Error(`--port must be a number from 1 to 65535, not ${values.port}`);
  }
  if (values.clock && values.keep) throw new Error('--clock and --keep exclude each other');
  await runSandbox({ ...values, port });
}

async function runSandbox(options: Options): Promise<void> {
  const say = (line: string) => (options.json ? undefined : console.log(line));
  const ports = await choosePorts(options);
  const baseUrl = `http://127.0.0.1:${ports.api}`;
  const self = { pid: process.pid, port: ports.api, baseUrl, keep: options.keep, servicesDir: currentDir() };
  let data: SandboxData | null = null;
  const pages: BuiltConsole[] = [];
  const children: ChildProcess[] = [];
  let stopping: Promise<void> | null = null;

  const stopAll = async () => {
    for (const child of children) await endChild(child);
    for (const built of pages) await built[Symbol.asyncDispose]();
    await whileLocked(async () => {
      removeRecord(self);
      if (options.keep) {
        // The kept data needs the services, so they are not stopped.
        forgetStartedServices();
        return;
      }
      if (findRunning().length === 0 && forgetStartedServices()) await stopServices();
      else await data?.drop();
    });
  };
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  process.on('SIGINT', () => void stop());
  process.on('SIGTERM', () => void stop());

  try {
    const services = await whileLocked(async () => {
      if (options.keep && findRunning().some(({ keep }) => keep)) {
        throw new Error('a sandbox with --keep is already running in this clone');
      }
      writeRecord(self);
      return useServices(say);
    });
    say('building the console, migrating and seeding ...');
    pages.push(await buildConsole());
    if (options.desk) pages.push(await buildConsole('desk'));
    data = await openSandboxData({ services, ports, keep: options.keep, clock: options.clock });
    if (data.isReused) say('using the kept data');
    if (stopping !== null) {
      await stopping;
      if (!options.keep) await data.drop();
      return;
    }
    const [consolePages, deskPages] = pages;
    const common = { ...process.env, ...data.env, LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn' };
    children.push(startService('all', { ...common, CONSOLE_DIR: consolePages?.dir }, options));
    if (deskPages !== undefined) {
      const own = { DATABASE_URL: data.deskDatabaseUrl, DESK_DIR: deskPages.dir, METRICS_PORT: '0' };
      children.push(startService('desk', { ...common, ...own }, options));
    }
    for (const child of children) {
      child.once('exit', (code) => {
        if (stopping !== null) return;
        process.exitCode = code ?? 1;
        void stop();
      });
    }
    const isGivenUp = () => stopping !== null;
    const { env, fixture } = data;
    const consoleUrl = env.CONSOLE_URL as string;
    const deskUrl = options.desk ? (env.DESK_URL as string) : null;
    await waitUntilReady(baseUrl, isGivenUp);
    const hasOffer = await waitForOffer(baseUrl, { liveKey: fixture.liveKey, isGivenUp });
    if (isGivenUp()) return;
    const operator = describeOperator({ record: recordFile(ports.api), clock: options.clock });
    const written = writeRecord({ ...self, ...fixture, operator, databaseUrl: env.DATABASE_URL as string, env });
    const fixtureFile = written.fixture;
    const { full: key } = fixture.keys;
    const { liveKey, webhook } = fixture;
    if (options.json) {
      const environment = envFile(ports.api);
      const console_ = { url: consoleUrl, ...fixture.login };
      console.log(
        JSON.stringify({
          baseUrl,
          console: console_,
          deskUrl,
          key,
          liveKey,
          webhook,
          fixture: fixtureFile,
          environment,
        }),
      );
    } else {
      const { keep } = options;
      console.log(
        renderSandbox({
          baseUrl,
          consoleUrl,
          deskUrl,
          port: ports.api,
          metricsPort: ports.metrics,
          fixture,
          fixtureFile,
          hasOffer,
          keep,
        }),
      );
    }
  } catch (error) {
    // Errors caused by the stop itself are not reported.
    const wasAsked = stopping !== null;
    await stop();
    if (!wasAsked) throw error;
  }
}

async function choosePorts({ port, keep }: Options): Promise<Ports> {
  if (port !== null) await requireFree(port);
  const [api, cdn, console, desk, metrics, hook] = (await freePorts(6)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { api: port ?? api, cdn, console, desk, metrics, hook: (keep ? findKeptHookPort() : null) ?? hook };
}

function requireFree(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', () => reject(new Error(`port ${port} is in use`)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}

async function useServices(say: (line: string) => void): Promise<BackingServices> {
  const running = readServices();
  if (running !== null) {
    say('using the running services');
    return running;
  }
  say('starting PostgreSQL, Redis and Ceph RGW ...');
  noteStartedServices();
  return startServices();
}

function startService(role: 'all' | 'desk', env: NodeJS.ProcessEnv, { watch, json }: Options): ChildProcess {
  const program = [`${REPOSITORY_ROOT}/packages/server/src/main.ts`, role];
  // In its own process group, so that Ctrl-C does not reach it before the graceful stop.
  return spawn(process.execPath, watch ? ['--watch-preserve-output', '--watch', ...program] : program, {
    env,
    // The log must not mix with the JSON.
    stdio: ['inherit', json ? process.stderr : 'inherit', 'inherit'],
    detached: true,
  });
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await gone;
}

try {
  await main();
} catch (error) {
  console.error(`sandbox: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
