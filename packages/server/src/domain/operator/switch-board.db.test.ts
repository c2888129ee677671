import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../../../test/database.ts';
import { withTx } from '../../platform/db.ts';
import { type Switch, setSwitch } from './set-switch.ts';
import { createSwitchBoard, refuseWhenSwitchedOff, refuseWhileReadOnly, type Switches } from './switch-board.ts';

const { db } = await openTestDatabase();

async function readWith(...changes: Switch[]): Promise<Switches> {
  for (const change of changes) await withTx(db, (tx) => setSwitch(tx, change, 'Ada'));
  const board = await createSwitchBoard({ db });
  board.close();
  return board.current();
}

test('maintenance refuses spending and storing, and no other change', async () => {
  const switches = await readWith({ kind: 'maintenance', message: 'Back at noon.' });
  expect(() => refuseWhenSwitchedOff(switches, 'api')).toThrow(expect.objectContaining({ code: 'maintenance' }));
  refuseWhileReadOnly(switches);
});

test('read-only refuses every change, with its own text unless maintenance has one', async () => {
  const both = await readWith({ kind: 'read-only', message: 'The database moves.' });
  expect(both).toMatchObject({ maintenance: 'Back at noon.', readOnly: 'The database moves.' });
  const alone = await readWith({ kind: 'maintenance', message: null });
  expect(alone).toMatchObject({ maintenance: 'The database moves.', readOnly: 'The database moves.' });
  expect(() => refuseWhenSwitchedOff(alone, 'api')).toThrow(expect.objectContaining({ code: 'maintenance' }));
  expect(() => refuseWhileReadOnly(alone)).toThrow(expect.objectContaining({ code: 'unavailable' }));
});

test('both switches end', async () => {
  const open = await readWith({ kind: 'read-only', message: null });
  expect(open).toMatchObject({ maintenance: null, readOnly: null });
  refuseWhenSwitchedOff(open, 'api');
  refuseWhileReadOnly(open);
});
