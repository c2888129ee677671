import { afterEach, expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { createOfferBoard, type OfferBoard, tellOffers } from './offer-board.ts';

const { db, owner } = await openTestDatabase();
const ends: Array<{ stop(): Promise<void> }> = [];
let board: OfferBoard;

afterEach(async () => {
  board?.close();
  await Promise.all(ends.splice(0).map((each) => each.stop()));
});

const offered = async () => {
  await board.refresh();
  return [...board.current()].sort();
};
const tell = async (worker: string, targets: () => string[]) => {
  const teller = await tellOffers(
    { db },
    {
      worker,
      targets,
      onError: (error) => {
        throw error;
      },
    },
  );
  ends.push(teller);
  return teller;
};

test('offers of several workers are combined; a worker that stops removes only its own', async () => {
  board = await createOfferBoard({ db });
  expect(await offered()).toEqual([]);
  const first = await tell('w1', () => ['local/a', 'local/b']);
  await tell('w2', () => ['local/b', 'comfyui/studio']);
  expect(await offered()).toEqual(['comfyui/studio', 'local/a', 'local/b']);
  await first.stop();
  expect(await offered()).toEqual(['comfyui/studio', 'local/b']);
});

test('a worker that stopped reporting is ignored, and its offers are deleted by the next report', async () => {
  board = await createOfferBoard({ db });
  await tell('dead', () => ['local/a']);
  await owner.pool.query(`UPDATE offer SET seen_at = now() - interval '16 seconds'`);
  expect(await offered()).toEqual([]);
  await tell('alive', () => ['local/b']);
  expect((await owner.pool.query('SELECT worker FROM offer')).rows).toEqual([{ worker: 'alive' }]);
});
