import type { WebhookEvent } from '@atelier/contract';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useEventStream } from '../../api/event-stream.ts';
import { useAccount, useSession } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { Icon, type IconName } from '../../parts/icon.tsx';
import { ListFoot } from '../../parts/list-foot.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Status } from '../../parts/status.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { LiveSign } from '../generations/live-sign.tsx';
import { firstRequest } from '../quickstart/snippets.ts';
import { addEvent, eventsQuery } from './event-queries.ts';

export function EventsPage() {
  const { events: text } = useText();
  const format = useFormat();
  const { id: accountId } = useAccount();
  const queries = useQueryClient();
  const query = useInfiniteQuery(eventsQuery(accountId));
  const { queryKey } = eventsQuery(accountId);
  /** Events that arrived while the tail is paused; null while it runs. */
  const [waiting, setWaiting] = useState<readonly WebhookEvent[] | null>(null);
  const show = (events: readonly WebhookEvent[]) =>
    queries.setQueryData(queryKey, (shown) => (shown === undefined ? shown : events.reduce(addEvent, shown)));
  const { isOpen } = useEventStream(accountId, {
    onOpen: () => void queries.invalidateQueries({ queryKey }),
    onEvent: (event) => (waiting === null ? show([event]) : setWaiting([...waiting, event])),
  });
  const toggle = () => {
    show(waiting ?? []);
    setWaiting(waiting === null ? [] : null);
  };
  return (
    <>
      <PageHead
        title={text.title}
        description={text.description}
        actions={
          <>
            <LiveSign isOpen={isOpen && waiting === null} />
            <button className="button" type="button" onClick={toggle}>
              <Icon name={waiting === null ? 'pause' : 'pulse'} />
              {waiting === null ? text.pause : text.resume}
              {waiting !== null && waiting.length > 0 && (
                <span className="count">{text.waiting(format.number(waiting.length))}</span>
              )}
            </button>
          </>
        }
      />
      <Loaded query={query}>
        {({ pages }) => {
          const events = pages.flatMap(({ items }) => items);
          if (events.length === 0) return <NoEvents />;
          return (
            <>
              <EventLog events={events} />
              <ListFoot query={query} shown={text.shown(format.number(events.length))} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const ICONS = {
  'generation.succeeded': 'succeeded',
  'generation.failed': 'failed',
  'generation.canceled': 'canceled',
} as const satisfies Record<WebhookEvent['type'], IconName>;

function EventLog({ events }: { events: readonly WebhookEvent[] }) {
  const text = useText().events;
  const format = useFormat();
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const selected = events.find(({ id }) => id === selectedId);
  return (
    <div className="columns section" data-split="inspector">
      <div>
        <table className="table" data-inset data-density="tight" data-plain data-stack="lines">
          <TableHead columns={[text.columns.event, text.columns.model, { number: text.columns.time }]} />
          <tbody>
            {events.map(({ id, type, createdAt, data }) => (
              <tr key={id} data-current={id === selectedId ? '' : undefined}>
                <th scope="row">
                  <button
                    className="row-button"
                    type="button"
                    aria-pressed={id === selectedId}
                    onClick={() => setSelectedId(id)}
                  >
                    <Status status={data.generation.status} icon={ICONS[type]}>
                      {type}
                    </Status>
                  </button>
                </th>
                <td data-label={text.columns.model} data-omit>
                  {data.generation.modelName}
                </td>
                <td className="number nowrap" title={format.full(createdAt)}>
                  {format.moment(createdAt)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <section className="inspector" aria-label={text.body}>
        {selected === undefined ? <p className="quiet">{text.select}</p> : <EventBody event={selected} />}
      </section>
    </div>
  );
}

function EventBody({ event }: { event: WebhookEvent }) {
  const text = useText();
  const { id: accountId } = useAccount();
  return (
    <>
      <div className="section-head">
        <h2>{event.type}</h2>
        <Link
          className="button"
          data-size="small"
          to="/accounts/$accountId/generations/$generationId"
          params={{ accountId, generationId: event.data.generation.id }}
        >
          {text.webhooks.deliveries.generation}
        </Link>
      </div>
      <Code
        label={text.events.body}
        samples={[{ label: 'JSON', language: 'json', code: JSON.stringify(event, null, 2) }]}
      />
    </>
  );
}

function NoEvents() {
  const text = useText();
  const { apiUrl } = useSession();
  return (
    <div className="empty">
      <h2>{text.events.empty}</h2>
      <p>{text.events.emptyHint}</p>
      <Code label={text.snippets.language} samples={firstRequest({ apiUrl, key: null })} />
    </div>
  );
}
