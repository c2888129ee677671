import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { CONSOLE_HEADER, type EndpointEvent } from '@atelier/contract/console';
import { adjustCoins } from '@atelier/server/domain/ledger/adjust-coins.ts';
import { type Switch, setSwitch } from '@atelier/server/domain/operator/set-switch.ts';
import { createEndpoint } from '@atelier/server/domain/webhooks/endpoints/create-endpoint.ts';
import { deleteEndpoint } from '@atelier/server/domain/webhooks/endpoints/delete-endpoint.ts';
import { rotateSecret } from '@atelier/server/domain/webhooks/endpoints/rotate-secret.ts';
import { readConfig } from '@atelier/server/entry/config/config.ts';
import { readUrlPolicy } from '@atelier/server/entry/read-url-policy.ts';
import { createKeyRing } from '@atelier/server/platform/crypto.ts';
import { createDb, type Tx, withTx } from '@atelier/server/platform/db.ts';
import type { OperatorAction } from './sandbox/operator-actions.ts';
import { readRecord } from './sandbox/registry.ts';
import { setServed } from './sandbox/set-served.ts';
import { advanceToldClock, CLOCK_CHECK_SECONDS } from './sandbox/told-clock.ts';

const HELP = `Operates a sandbox for black-box tests: the operator program of packages/conformance.

Usage: node scripts/operate-sandbox.ts RECORD

Reads one JSON object per line, {"action": NAME, ...values}, and answers each with one line. RECORD is the file that describes the sandbox.`;

// biome-ignore lint/suspicious/noExplicitAny: the values of each action are in the README of the kit
type Values = any;

const ACTOR = 'conformance';
/** By then every process has read the new time. */
const CLOCK_FOLLOWED_MS = CLOCK_CHECK_SECONDS * 1000 + 300;

function openSandbox(file: string) {
  const record = readRecord(file);
  if (record?.env === undefined || record.accounts === undefined) throw new Error(`${file} describes no ready sandbox`);
  const { accounts, login, env } = record;
  const config = readConfig(env);
  const db = createDb({ url: config.databaseUrl, applicationName: 'atelier-conformance', maxConnections: 1 });
  const services = { keys: createKeyRing(config.masterKeys), urlPolicy: readUrlPolicy(config) };
  const change = <T>(work: (tx: Tx) => Promise<T>) => withTx(db, work);
  const turn = (wanted: Switch) => change((tx) => setSwitch(tx, wanted, ACTOR));
  const endpointOf = ({ endpoint }: Values) => ({ accountId: accounts.full, endpointId: endpoint, actor: ACTOR });

  const actions: Record<OperatorAction, (values: Values) => Promise<unknown>> = {
    setMaintenance: ({ on }) => turn({ kind: 'maintenance', message: on ? 'Back at noon.' : null }),
    setChannel: ({ channel, open }) => turn({ kind: 'channel', channel, closed: !open }),
    setModel: ({ model, open }) => turn({ kind: 'model', modelId: model, closed: !open }),
    setServed: (values) => setServed(config.databaseOwnerUrl, values),
    setPrice: ({ model, coins }) =>
      turn({ kind: 'price', modelId: model, price: coins === null ? null : { perOutput: coins } }),
    adjustCoins: ({ coins }) =>
      change((tx) => adjustCoins(tx, { accountId: accounts.debt, coins, actor: ACTOR, reason: 'conformance' })),
    addEndpoint: ({ url, events }: { url: string; events: EndpointEvent[] }) =>
      change((tx) => createEndpoint(tx, services, { accountId: accounts.full, url, events, actor: ACTOR })),
    rotateSecret: (values) => change((tx) => rotateSecret(tx, services, endpointOf(values))),
    removeEndpoint: (values) => change((tx) => deleteEndpoint(tx, endpointOf(values))),
    async signIn() {
      const { consoleUrl: origin } = config;
      const answer = await fetch(`${origin}/api/auth/sign-in/email`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin, [CONSOLE_HEADER.name]: CONSOLE_HEADER.value },
        body: JSON.stringify(login),
      });
      if (!answer.ok) throw new Error(`sign-in returned ${answer.status}: ${await answer.text()}`);
      const cookie = answer.headers.getSetCookie().map((line) => line.split(';')[0]);
      return {
        url: `${origin}/api/accounts/${accounts.full}/v1/account`,
        headers: { cookie: cookie.join('; ') },
      };
    },
    async advanceClock({ seconds }) {
      await advanceToldClock(config.databaseOwnerUrl, seconds);
      await sleep(CLOCK_FOLLOWED_MS);
    },
  };
  return { actions, close: () => db.pool.end() };
}

async function main(file: string): Promise<void> {
  const sandbox = openSandbox(file);
  try {
    for await (const line of createInterface({ input: process.stdin })) {
      const { action, ...values } = JSON.parse(line) as { action: OperatorAction };
      const answer = await sandbox.actions[action](values).then(
        (result) => ({ result: result ?? null }),
        (error: Error) => ({ error: error.message }),
      );
      console.log(JSON.stringify(answer));
    }
  } finally {
    await sandbox.close();
  }
}

const [file] = process.argv.slice(2);
if (file === undefined || file === '--help') {
  console.log(HELP);
  process.exitCode = file === undefined ? 2 : 0;
} else {
  await main(file);
}
