import type { Usage, UsageGroup } from '@atelier/contract/console';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useAccount } from '../../api/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { Coins } from '../../parts/status.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { daysOf, PERIODS, type Period, usageQuery } from './money-queries.ts';
import { fillDays, restOf } from './usage-figures.ts';

const UsageChart = lazy(() => import('./usage-chart.tsx').then((module) => ({ default: module.UsageChart })));

export function UsagePage() {
  const text = useText().usage;
  const { id: accountId } = useAccount();
  const [period, setPeriod] = useState<Period>(30);
  const days = daysOf(period, Date.now());
  const query = useQuery(usageQuery(accountId, days));
  return (
    <>
      <PageHead
        title={text.title}
        description={text.description}
        actions={
          <Segmented
            label={text.period}
            choice={String(period)}
            choices={PERIODS.map((each) => ({ value: String(each), label: text.days(each) }))}
            onChoice={(next) => setPeriod(Number(next) as Period)}
          />
        }
      />
      <Loaded query={query}>
        {(usage) => (usage.total.generations === 0 ? <NoUsage usage={usage} /> : <Figures usage={usage} days={days} />)}
      </Loaded>
    </>
  );
}

function Figures({ usage, days }: { usage: Usage; days: readonly string[] }) {
  const text = useText().usage;
  const format = useFormat();
  const byDay = fillDays(days, usage.days);
  return (
    <>
      {!usage.isComplete && <Counting />}
      <dl className="figures">
        <div>
          <dt>{text.charged}</dt>
          <dd className="figure">
            <Coins>{format.number(usage.total.coins)}</Coins>
          </dd>
        </div>
        <div>
          <dt>{text.generations}</dt>
          <dd className="figure">{format.number(usage.total.generations)}</dd>
        </div>
        <div>
          <dt>{text.perDay}</dt>
          <dd className="figure">{format.number(Math.round(usage.total.coins / days.length))}</dd>
        </div>
      </dl>
      <section className="section" aria-labelledby="by-day">
        <div className="section-head">
          <h2 id="by-day">{text.byDay}</h2>
          <span className="beside">{text.utc}</span>
        </div>
        <Suspense fallback={<div className="chart" data-size="tall" />}>
          <UsageChart days={byDay} />
        </Suspense>
      </section>
      <GroupTable
        id="by-model"
        title={text.byModel}
        usage={usage}
        groups={usage.models}
        nameOf={({ id, name }) => name ?? id}
      />
      <GroupTable
        id="by-key"
        title={text.byKey}
        usage={usage}
        groups={usage.keys}
        nameOf={({ id, name }) => (id === null ? text.console : (name ?? id))}
      />
      <GroupTable
        id="by-project"
        title={text.byProject}
        usage={usage}
        groups={usage.projects}
        nameOf={({ id }) => id ?? <span className="quiet">{text.noProject}</span>}
      />
    </>
  );
}

function GroupTable(props: {
  id: string;
  title: string;
  usage: Usage;
  groups: readonly UsageGroup[];
  nameOf(group: UsageGroup): ReactNode;
}) {
  const text = useText().usage;
  const format = useFormat();
  const { total } = props.usage;
  const rest = restOf(total, props.groups);
  const line = (key: string, name: ReactNode, part: { coins: number; generations: number }) => (
    <tr key={key}>
      <th scope="row">{name}</th>
      <td data-wide>
        <meter
          className="meter"
          min={0}
          max={total.coins}
          value={part.coins}
          aria-label={text.share(format.number(Math.round((100 * part.coins) / total.coins)))}
        />
      </td>
      <td className="number" data-omit>
        {format.number(part.generations)}
      </td>
      <td className="number">
        <Coins>{format.number(part.coins)}</Coins>
      </td>
    </tr>
  );
  return (
    <section className="section" aria-labelledby={props.id}>
      <div className="section-head">
        <h2 id={props.id}>{props.title}</h2>
      </div>
      <table className="table" data-stack="lines" data-density="tight">
        <TableHead
          columns={[
            text.columns.name,
            text.columns.share,
            { number: text.generations },
            { number: text.columns.coins },
          ]}
        />
        <tbody>
          {props.groups.map((group) => line(group.id ?? 'none', props.nameOf(group), group))}
          {rest !== null && line('rest', <span className="quiet">{text.rest}</span>, rest)}
        </tbody>
      </table>
    </section>
  );
}

function Counting() {
  const text = useText().usage;
  return (
    <div className="notice" role="status">
      <Icon name="info" />
      <div>
        <strong>{text.counting}</strong>
        <p>{text.countingHint}</p>
      </div>
    </div>
  );
}

function NoUsage({ usage }: { usage: Usage }) {
  const text = useText().usage;
  if (!usage.isComplete) return <Counting />;
  return (
    <div className="empty">
      <h2>{text.empty}</h2>
      <p>{text.emptyHint}</p>
    </div>
  );
}
