import { mkdir, readFile } from 'node:fs/promises';
import { parseEnv } from 'node:util';
import { openKeyPrefix } from '../../domain/assets/bucket/bucket-ownership.ts';
import type { Cell } from '../../domain/moves/cell.ts';
import { cancelMove, forgetMoved } from '../../domain/moves/end-move.ts';
import { carryPayments, moveAccount } from '../../domain/moves/move-account.ts';
import { createKeyRing } from '../../platform/crypto.ts';
import { createObjectStore } from '../../platform/object-store/create-object-store.ts';
import { type Config, readConfig } from '../config/config.ts';
import { paymentRulesOf } from '../create-payments.ts';
import { createDirectDb } from '../direct-db.ts';
import { given, need, needId, needInteger, type OperatorCommand, UsageError } from './operator-command.ts';

const MAX_CONNECTIONS = 4;
/** A statement of a move handles all rows of an account. */
const STATEMENT_TIMEOUT_MS = 600_000;
const DEFAULT_WAIT_SECONDS = 600;
const WAIT_RANGE = { minimum: 0, maximum: 86_400 };

const account = { 'account!': 'id of one account of the pair: both move' };
const folder = { 'dir!': 'folder for the file of the rows, which has private content' };
const target = { 'to!': 'file with the settings of the other cell, one NAME=value per line' };

export const moveCommands: Readonly<Record<string, OperatorCommand>> = {
  move: {
    summary: 'moves the live and the test account of an owner to another cell; repeat it to continue',
    options: {
      ...account,
      ...target,
      ...folder,
      directory: 'folder of the directory of the edge (docs/operate/cells.md)',
      'nginx-pid': 'file with the process id of nginx, to reload it',
      wait: `seconds that accepted generations may take to end (default ${DEFAULT_WAIT_SECONDS})`,
    },
    async run(context) {
      const accountId = needId(context, 'account');
      const dir = need(context, 'dir');
      const wait = given(context, 'wait', () => needInteger(context, 'wait', WAIT_RANGE)) ?? DEFAULT_WAIT_SECONDS;
      const directory = given(context, 'directory', () => need(context, 'directory')) ?? null;
      const nginxPidFile = given(context, 'nginx-pid', () => need(context, 'nginx-pid')) ?? null;
      await mkdir(dir, { recursive: true, mode: 0o700 });
      return withCells(context.config, await readTarget(need(context, 'to')), (from, to) =>
        moveAccount(from, to, {
          accountId,
          actor: context.actor,
          dir,
          directory,
          nginxPidFile,
          waitMs: wait * 1000,
          onStep: (step) => console.error(step),
        }),
      );
    },
  },
  'move-cancel': {
    summary: 'ends a move before the account has arrived; it works in this cell again',
    options: { ...account, ...target, ...folder },
    async run(context) {
      const accountId = needId(context, 'account');
      const dir = need(context, 'dir');
      return withCells(context.config, await readTarget(need(context, 'to')), (from, to) =>
        cancelMove(from, to, { accountId, actor: context.actor, dir }),
      );
    },
  },
  'move-payments': {
    summary: 'carries parked payment events of a moved account to the cell that has it',
    options: { ...account, ...target },
    async run(context) {
      const accountId = needId(context, 'account');
      return withCells(context.config, await readTarget(need(context, 'to')), (from, to) =>
        carryPayments(from, to, accountId),
      );
    },
  },
  'move-forget': {
    summary: 'deletes the rows and files of a moved account in this cell; its ledger stays',
    options: { ...account, 'now?': 'does not wait until links from before the move have expired' },
    run(context) {
      const accountId = needId(context, 'account');
      return withCell(context.config, (cell) =>
        forgetMoved(cell, { accountId, actor: context.actor, now: context.flags.has('now') }),
      );
    },
  },
};

async function readTarget(path: string): Promise<Config> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--to: cannot read ${path} (${error.code})`);
  });
  return readConfig(parseEnv(text), ['DATABASE_URL', 'MASTER_KEY']);
}

function withCells<T>(from: Config, to: Config, work: (from: Cell, to: Cell) => Promise<T>): Promise<T> {
  return withCell(from, (here) => withCell(to, (there) => work(here, there)));
}

async function withCell<T>(config: Config, work: (cell: Cell) => Promise<T>): Promise<T> {
  if (config.masterKeys.length === 0) throw new UsageError('MASTER_KEY is not set');
  const db = createDirectDb(config, {
    applicationName: 'atelier-account-move',
    maxConnections: MAX_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const store = createObjectStore(config.objectStore);
  try {
    return await work({
      name: config.cell,
      db,
      store,
      keys: createKeyRing(config.masterKeys),
      keyPrefix: await openKeyPrefix({ db }, config.cell),
      paymentRules: paymentRulesOf(config),
      limits: config.limits,
    });
  } finally {
    await store.close();
    await db.pool.end();
  }
}
