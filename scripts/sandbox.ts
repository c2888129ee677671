import { spawn } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createSandboxDatabase } from './sandbox/create-sandbox-database.ts';
import { freePorts } from './sandbox/free-ports.ts';
import { sandboxEnv } from './sandbox/sandbox-env.ts';
import { seedSandbox } from './sandbox/seed-sandbox.ts';
import { readServices, startServices, stopServices } from './services.ts';

const HELP = `usage: npm run sandbox [-- options]

Starts throw-away services, migrates, makes the accounts and keys of a sandbox, and runs the whole service in one process.
Everything stops with Ctrl-C.

  --watch   restart the service when its source changes (npm run dev)
  --json    print the result as JSON
  --help    this text`;

const root = fileURLToPath(new URL('..', import.meta.url));
const fixturePath = `${root}.sandbox.json`;
const READY_TIMEOUT_MS = 30_000;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { watch: { type: 'boolean' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
  });
  if (values.help) return console.log(HELP);
  rmSync(fixturePath, { force: true });
  const say = (line: string) => (values.json ? undefined : console.log(line));

  const running = readServices();
  say(running === null ? 'starting PostgreSQL, Redis and Ceph RGW ...' : 'using the services that run already');
  const services = running ?? (await startServices());
  const [port, cdnPort, metricsPort, hookPort] = await freePorts(4);
  const baseUrl = `http://127.0.0.1:${port}`;
  const database = await createSandboxDatabase(services.postgresUrl);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...sandboxEnv({ services, database, cdnPort: cdnPort as number }),
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'warn',
    PUBLIC_URL: baseUrl,
    PORT: String(port),
    CDN_PORT: String(cdnPort),
    METRICS_PORT: String(metricsPort),
  };
  say('migrating and seeding ...');
  const seeded = await seedSandbox(env, { hookPort: hookPort as number });

  const program = [`${root}packages/server/src/main.ts`, 'all'];
  const child = spawn(process.execPath, values.watch ? ['--watch-preserve-output', '--watch', ...program] : program, {
    env,
    stdio: 'inherit',
    detached: true,
  });
  let stopping = false;
  const stop = async () => {
    if (stopping) return;
    stopping = true;
    rmSync(fixturePath, { force: true });
    if (child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await gone;
    }
    await database.drop();
    if (running === null) await stopServices();
  };
  process.on('SIGINT', () => void stop());
  process.on('SIGTERM', () => void stop());
  child.once('exit', (code) => {
    if (stopping) return;
    process.exitCode = code ?? 1;
    void stop();
  });

  await waitUntilReady(baseUrl, () => stopping);
  if (stopping) return;
  writeFileSync(fixturePath, JSON.stringify({ baseUrl, ...seeded.fixture, databaseUrl: database.appUrl }, null, 2), {
    mode: 0o600,
  });
  if (values.json)
    console.log(
      JSON.stringify({ baseUrl, key: seeded.fixture.keys.full, liveKey: seeded.fixture.liveKey, fixture: fixturePath }),
    );
  else {
    console.log(`
  API       ${baseUrl}
  Console   ${baseUrl}/docs
  Metrics   http://127.0.0.1:${metricsPort}/metrics
  Test key  ${seeded.fixture.keys.full}
  Live key  ${seeded.fixture.liveKey}

  curl ${baseUrl}/v1/models
  curl -H 'Authorization: Bearer ${seeded.fixture.keys.full}' ${baseUrl}/v1/account

A test key reaches the simulator, the live key the engines of this machine: npm run weights -- list.

Ctrl-C stops everything.`);
  }
}

async function waitUntilReady(baseUrl: string, givenUp: () => boolean): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline && !givenUp()) {
    const answer = await fetch(`${baseUrl}/readyz`).catch(() => null);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (!givenUp()) throw new Error('the service did not become ready');
}

await main();
