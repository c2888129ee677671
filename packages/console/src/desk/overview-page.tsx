import type { Overview } from '@atelier/contract/desk';
import { useQuery } from '@tanstack/react-query';
import { Icon } from '../parts/icon.tsx';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { DeskLink } from './desk-link.tsx';
import { overviewQuery } from './desk-queries.ts';
import { FailureCauses, Pools, StuckWork, Workers } from './overview-tables.tsx';
import { useDeskText } from './use-desk-text.ts';

export function OverviewPage() {
  const text = useDeskText().overview;
  const format = useFormat();
  const query = useQuery(overviewQuery);
  return (
    <>
      <PageHead
        title={text.title}
        description={query.data === undefined ? undefined : text.updated(format.full(query.data.at))}
      />
      <Loaded query={query}>
        {(overview) => (
          <>
            <Attention overview={overview} />
            <Figures overview={overview} />
            <div className="columns section" data-split="even">
              <Pools pools={overview.pools} />
              <Workers workers={overview.workers} />
            </div>
            <FailureCauses causes={overview.failures} />
            {overview.stuck.length > 0 && <StuckWork stuck={overview.stuck} />}
          </>
        )}
      </Loaded>
    </>
  );
}

function Attention({ overview }: { overview: Overview }) {
  const text = useDeskText().overview;
  const format = useFormat();
  const open = (
    <DeskLink className="button" to="/switches">
      {text.openSwitches}
    </DeskLink>
  );
  const items = [
    ...(overview.maintenance === null ? [] : [{ title: text.maintenance, hint: overview.maintenance, action: open }]),
    ...overview.closedChannels.map((channel) => ({ title: text.channelClosed(channel), hint: '', action: open })),
    ...(overview.workers.length > 0 ? [] : [{ title: text.noWorkers, hint: text.noWorkersHint, action: null }]),
    ...(overview.stuck.length === 0
      ? []
      : [{ title: text.stuckTitle(format.number(overview.stuck.length)), hint: '', action: null }]),
  ];
  if (items.length === 0) return null;
  return (
    <ul className="attention" aria-label={text.attention}>
      {items.map(({ title, hint, action }) => (
        <li key={title}>
          <Icon name="warning" />
          <div className="what">
            <strong>{title}</strong> {hint}
          </div>
          {action !== null && <div className="actions">{action}</div>}
        </li>
      ))}
    </ul>
  );
}

function Figures({ overview }: { overview: Overview }) {
  const text = useDeskText();
  const format = useFormat();
  const sum = (pick: (pool: Overview['pools'][number]) => number) =>
    overview.pools.reduce((total, pool) => total + pick(pool), 0);
  const oldest = overview.pools
    .filter(({ oldestSeconds }) => oldestSeconds !== null)
    .toSorted((a, b) => (b.oldestSeconds ?? 0) - (a.oldestSeconds ?? 0))[0];
  return (
    <dl className="figures section">
      <div>
        <dt>{text.overview.waiting}</dt>
        <dd className="figure">{format.number(sum(({ queued, waiting }) => queued + waiting))}</dd>
        <dd className="quiet">{text.overview.waitingHint(format.number(sum(({ waiting }) => waiting)))}</dd>
      </div>
      <div>
        <dt>{text.overview.running}</dt>
        <dd className="figure">{format.number(sum(({ processing }) => processing))}</dd>
      </div>
      <div>
        <dt>{text.overview.oldest}</dt>
        <dd className="figure">
          {oldest === undefined ? '–' : format.span((oldest.oldestSeconds ?? 0) * 1000)} <small>{oldest?.pool}</small>
        </dd>
      </div>
      <div>
        <dt>{text.overview.failed}</dt>
        <dd className="figure">{format.number(overview.failed)}</dd>
      </div>
      <div>
        <dt>{text.overview.held}</dt>
        <dd className="figure">{format.number(overview.openHoldCoins)}</dd>
      </div>
      <div>
        <dt>{text.overview.lag}</dt>
        <dd className="figure">{format.span(overview.deliveryLagSeconds * 1000)}</dd>
      </div>
    </dl>
  );
}
