import type { OperationId } from '@atelier/contract';
import { lockAccount } from '@atelier/server/domain/accounts/lock-account.ts';
import { type Switch, setSwitch } from '@atelier/server/domain/operator/set-switch.ts';
import { withTx } from '@atelier/server/platform/db.ts';
import { makeAccount } from '../../harness/account.ts';
import { type Answer, until } from '../../harness/client.ts';
import { ask, type Provoke, type World } from './world.ts';

const SWITCHED: readonly OperationId[] = [
  'createQuote',
  'createGeneration',
  'createUpload',
  'createResumableUpload',
  'appendResumableUpload',
  'completeResumableUpload',
];

/** Problems of an operation that spends coins or stores files. */
export function switched(operation: OperationId) {
  return {
    account_locked: async (world) => {
      const { accountId, key } = await makeAccount(world.stack);
      await withTx(world.stack.db, (tx) => lockAccount(tx, { accountId, locked: true, reason: 'test', actor: 'test' }));
      return ask(world, operation, { key });
    },
    maintenance: async (world) => (await underMaintenance(world)).get(operation) as Answer,
    channel_disabled: async (world) => (await withoutChannel(world)).get(operation) as Answer,
  } satisfies Record<string, Provoke>;
}

const underMaintenance = once((world) =>
  answersWhile(world, {
    on: { kind: 'maintenance', message: 'Back at noon.' },
    off: { kind: 'maintenance', message: null },
  }),
);
const withoutChannel = once((world) =>
  answersWhile(world, {
    on: { kind: 'channel', channel: 'api', closed: true },
    off: { kind: 'channel', channel: 'api', closed: false },
  }),
);

/** A switch takes effect within two seconds, so all operations that it affects are called while it is on. */
async function answersWhile(world: World, change: { on: Switch; off: Switch }): Promise<Map<OperationId, Answer>> {
  const put = (wanted: Switch) => withTx(world.stack.db, (tx) => setSwitch(tx, wanted, 'test'));
  const isClosed = async () => (await ask(world, 'createQuote')).status === 503;
  await put(change.on);
  await until('the switch takes effect', isClosed);
  const answers = await Promise.all(SWITCHED.map(async (id) => [id, await ask(world, id)] as const));
  await put(change.off);
  await until('the switch is off again', async () => !(await isClosed()));
  return new Map(answers);
}

function once<T>(make: (world: World) => Promise<T>): (world: World) => Promise<T> {
  let made: Promise<T> | undefined;
  return (world) => {
    made ??= make(world);
    return made;
  };
}
