import type { Switches } from '@atelier/contract/desk';
import {
  listFailureCauses,
  listNewestFailures,
  listStuckWork,
} from '../../../domain/generations/operate/read-failures.ts';
import { listAudit } from '../../../domain/operator/list-audit.ts';
import { listWorkers } from '../../../domain/operator/offer-board.ts';
import { type Switch, setSwitch } from '../../../domain/operator/set-switch.ts';
import { withTx } from '../../../platform/db.ts';
import { Problem } from '../../../platform/problem.ts';
import type { DeskRoutes, DeskServices } from '../desk-handler.ts';
import { showAudit } from '../show-audit.ts';

const AUDIT_PAGE = 50;

export const systemRoutes: DeskRoutes<
  'getOverview' | 'getSwitches' | 'setMaintenance' | 'closeChannel' | 'listFailures' | 'checkBooks' | 'listAudit'
> = {
  getOverview: async (services) => {
    const [work, workers, { failed, causes }, stuck] = await Promise.all([
      services.readOpenWork(),
      listWorkers(services),
      listFailureCauses(services),
      listStuckWork(services),
    ]);
    if (work === null) throw new Problem('unavailable', 'The state of the queues cannot be read.');
    return {
      at: services.clock.now().toISOString(),
      ...showSwitches(services),
      pools: work.pools
        .map(({ pool, waiting, admitted, processing, oldestAdmittedSeconds }) => ({
          pool,
          waiting,
          queued: admitted,
          processing,
          oldestSeconds: admitted > 0 ? oldestAdmittedSeconds : null,
        }))
        .sort((a, b) => (a.pool < b.pool ? -1 : 1)),
      workers: workers.map(({ worker, seenAt, targets, unavailable }) => ({
        worker,
        seenAt: seenAt.toISOString(),
        targets: [...targets],
        unavailable: [...unavailable],
      })),
      failed,
      failures: causes.map((cause) => ({ ...cause, lastAt: cause.lastAt.toISOString() })),
      stuck: stuck.map((each) => ({ ...each, since: each.since.toISOString() })),
      openHoldCoins: work.backlog.openHoldCoins,
      deliveryLagSeconds: work.backlog.deliveryLagSeconds,
    };
  },

  getSwitches: async (services) => showSwitches(services),
  setMaintenance: (services, { actor, body: { message, reason } }) =>
    turn(services, { kind: 'maintenance', message }, { actor, reason }),
  closeChannel: (services, { actor, params: { channel }, body: { closed, reason } }) =>
    turn(services, { kind: 'channel', channel, closed }, { actor, reason }),

  listFailures: async (services, { query }) => ({
    items: (await listNewestFailures(services, query)).map((row) => ({
      ...row,
      createdAt: row.createdAt.toISOString(),
    })),
  }),
  checkBooks: async (services) => {
    const { checkedAt, checks } = await services.checkBooks();
    return {
      checkedAt: checkedAt.toISOString(),
      checks: checks.map((check) => ({ ...check, first: check.first.map((row) => ({ ...row })) })),
    };
  },
  listAudit: async (services, { query }) => {
    const rows = await listAudit(services, { accountId: null, since: null, before: query.before, limit: AUDIT_PAGE });
    const nextBefore = rows.length === AUDIT_PAGE ? (rows.at(-1)?.id ?? null) : null;
    return { items: await showAudit(services, rows), nextBefore };
  },
};

async function turn(
  services: DeskServices,
  change: Switch,
  { actor, reason }: { actor: string; reason: string },
): Promise<Switches> {
  await withTx(services.db, (tx) => setSwitch(tx, change, actor, reason));
  await services.switches.refresh();
  return showSwitches(services);
}

function showSwitches(services: Pick<DeskServices, 'switches'>): Switches {
  const { maintenance, closedChannels, closedModels } = services.switches.current();
  return { maintenance, closedChannels: [...closedChannels].sort(), closedModels: [...closedModels].sort() };
}
