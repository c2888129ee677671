import type { Channel } from '@atelier/contract';
import type { Db } from '../../platform/db.ts';
import { createPoller, type Poller } from '../../platform/flow/poller.ts';
import { Problem } from '../../platform/problem.ts';
import { findSettings, type SettingRow } from './operator.store.ts';

export interface Switches {
  /** A text for clients during maintenance. */
  readonly maintenance: string | null;
  /** A text for clients while nothing may change. Then it is the text of maintenance too, unless that has its own. */
  readonly readOnly: string | null;
  readonly closedChannels: ReadonlySet<string>;
  readonly closedModels: ReadonlySet<string>;
  /** Prices that replace those of the catalog files, by model. */
  readonly prices?: ReadonlyMap<string, unknown>;
  /** What outputs cost the operator, by model: coins by target. */
  readonly costs?: ReadonlyMap<string, Readonly<Record<string, number>>>;
}

export type SwitchBoard = Poller<Switches>;

const REFRESH_INTERVAL_MS = 2_000;
const MAINTENANCE_RETRY_SECONDS = 60;

/** The operator's switches. While the database is unavailable, the last ones apply. */
export function createSwitchBoard(services: { db: Db }): Promise<SwitchBoard> {
  return createPoller({ intervalMs: REFRESH_INTERVAL_MS, read: async () => read(await findSettings(services.db)) });
}

function read(rows: readonly SettingRow[]): Switches {
  const on = (prefix: string) =>
    new Set(
      rows
        .filter((row) => row.name.startsWith(prefix) && row.value === true)
        .map((row) => row.name.slice(prefix.length)),
    );
  const valuesOf = <T>(prefix: string) =>
    new Map(
      rows
        .filter(({ name }) => name.startsWith(prefix))
        .map(({ name, value }) => [name.slice(prefix.length), value as T]),
    );
  const textOf = (name: string) => {
    const value = rows.find((row) => row.name === name)?.value;
    return typeof value === 'string' ? value : null;
  };
  const readOnly = textOf('read-only');
  return {
    maintenance: textOf('maintenance') ?? readOnly,
    readOnly,
    closedChannels: on('channel.closed.'),
    closedModels: on('model.closed.'),
    prices: valuesOf('model.price.'),
    costs: valuesOf('model.costs.'),
  };
}

/** Checked first by every operation that could spend or store. */
export function refuseWhenSwitchedOff(switches: Switches, channel: Channel): void {
  if (switches.maintenance !== null) {
    throw new Problem('maintenance', switches.maintenance, { retryAfterSeconds: MAINTENANCE_RETRY_SECONDS });
  }
  if (switches.closedChannels.has(channel)) {
    throw new Problem('channel_disabled', `The ${channel} channel is disabled.`, {
      retryAfterSeconds: MAINTENANCE_RETRY_SECONDS,
    });
  }
}

/** Refuses changes that maintenance allows, such as a cancel. The contract has no code of its own for them. */
export function refuseWhileReadOnly({ readOnly }: Switches): void {
  if (readOnly !== null) {
    throw new Problem('unavailable', readOnly, { retryAfterSeconds: MAINTENANCE_RETRY_SECONDS });
  }
}
