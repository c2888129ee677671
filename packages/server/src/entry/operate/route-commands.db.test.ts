import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { tellOffers } from '../../domain/operator/offer-board.ts';
import { createKeyRing } from '../../platform/crypto.ts';
import type { OperatorContext } from './operator-command.ts';
import { routeCommands } from './route-commands.ts';

const { db } = await openTestDatabase();

test('a route that no provider can serve is visible to the operator', async () => {
  const config = { catalogDir: join(import.meta.dirname, '../../../../../catalog'), backendsFile: '' };
  const context: OperatorContext = {
    config: config as OperatorContext['config'],
    db,
    keys: createKeyRing([randomBytes(32)]),
    actor: 'test',
    options: {},
    flags: new Set(),
  };
  const list = async () =>
    (await routeCommands.unserved!.run(context)) as { model: string; route: number; target: string; reason: string }[];
  const voice = { model: 'voice', route: 0, target: 'openai/speech', reason: 'no worker offers openai/speech' };
  expect(await list()).toContainEqual(voice);
  const offers = await tellOffers({ db }, { worker: 'w', targets: () => ['openai/speech'], onError: () => {} });
  try {
    expect(await list()).not.toContainEqual(voice);
  } finally {
    await offers.stop();
  }
});
