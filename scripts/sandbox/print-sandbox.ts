import { relative } from 'node:path';
import { envFile, FIXTURE_FILE } from './registry.ts';
import type { Fixture } from './seed-sandbox.ts';

/** What a person needs to know of a sandbox that is ready. */
export function renderSandbox(sandbox: {
  baseUrl: string;
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
  Docs         ${baseUrl}/docs
  Metrics      http://127.0.0.1:${sandbox.metricsPort}/metrics
  Test key     ${keys.full}
  Live key     ${fixture.liveKey}
  Webhooks     to http://127.0.0.1:${webhook.port}${webhook.path} for the test key; start your receiver on port ${webhook.port}
  Secret       ${webhook.secret}
  Environment  ${here(envFile(sandbox.port))} (set -a; . ${here(envFile(sandbox.port))}; set +a)
  Fixture      ${here(sandbox.fixtureFile)}

  curl ${baseUrl}/v1/models
  curl -H 'Authorization: Bearer ${keys.full}' ${baseUrl}/v1/account

${
  sandbox.hasOffer
    ? 'A test key reaches the simulator, the live key the engines of this machine: npm run weights -- list.'
    : 'A test key reaches the simulator. No engine of this machine is available, so submits with the live key are refused.'
}
${
  isFirst
    ? 'Operator commands use this sandbox: npm run verify, node packages/server/src/main.ts account list.'
    : `Another sandbox runs. Operator commands use this one with ATELIER_SANDBOX=${sandbox.port}.`
}
${sandbox.keep ? 'Ctrl-C stops the service and keeps its data: npm run sandbox -- --keep goes on with it.' : 'Ctrl-C stops everything.'}`;
}
