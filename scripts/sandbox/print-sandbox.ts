import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { envFile, FIXTURE_FILE } from './registry.ts';
import type { Fixture } from './seed-sandbox.ts';

const GUIDE = resolve(import.meta.dirname, '../../docs/site/dist/index.html');

/** Prints how to use a sandbox that is ready. */
export function renderSandbox(sandbox: {
  baseUrl: string;
  consoleUrl: string;
  /** Null if the desk does not run. */
  deskUrl: string | null;
  port: number;
  metricsPort: number;
  fixture: Fixture;
  fixtureFile: string;
  hasOffer: boolean;
  keep: boolean;
}): string {
  const { baseUrl, fixture } = sandbox;
  const { keys, webhook } = fixture;
  const here = (file: string) => relative(process.cwd(), file);
  const isFirst = sandbox.fixtureFile === FIXTURE_FILE;
  return `
  ready

  API          ${baseUrl}
  Guide        ${existsSync(GUIDE) ? `${baseUrl}/guide/` : 'npm run docs:build'}
  Docs         ${baseUrl}/docs
  Console      ${sandbox.consoleUrl}
  Desk         ${sandbox.deskUrl ?? 'for operators: npm run sandbox -- --desk'}
  Sign in      ${fixture.login.email}, password ${fixture.login.password}
  Metrics      http://127.0.0.1:${sandbox.metricsPort}/metrics
  Test key     ${keys.full}
  Live key     ${fixture.liveKey}
  Webhooks     to http://127.0.0.1:${webhook.port}${webhook.path} for the test key; start your receiver on that port
  Secret       ${webhook.secret}
  Environment  ${here(envFile(sandbox.port))} (set -a; . ${here(envFile(sandbox.port))}; set +a)
  Fixture      ${here(sandbox.fixtureFile)}

  curl ${baseUrl}/v1/models
  curl -H 'Authorization: Bearer ${keys.full}' ${baseUrl}/v1/account

${
  sandbox.hasOffer
    ? 'The test key uses the simulator, the live key the engines of this machine: npm run weights -- list.'
    : 'The test key uses the simulator. This machine has no available engine, so submits with the live key fail.'
}
${
  isFirst
    ? 'Operator commands use this sandbox: npm run verify, node packages/server/src/main.ts account list.'
    : `Another sandbox is running. For operator commands on this one, set ATELIER_SANDBOX=${sandbox.port}.`
}
${sandbox.keep ? 'Ctrl-C stops the service and keeps its data. To use it again: npm run sandbox -- --keep.' : 'Ctrl-C stops everything.'}`;
}
