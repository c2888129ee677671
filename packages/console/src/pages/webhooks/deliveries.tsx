import type { Delivery, DeliveryStatus } from '@atelier/contract/console';
import { useInfiniteQuery } from '@tanstack/react-query';
import { memo, useCallback, useRef, useState } from 'react';
import { useAccount } from '../../api/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { ListFoot } from '../../parts/list-foot.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { DeliveryInspector } from './delivery-inspector.tsx';
import { DeliveryState } from './delivery-state.tsx';
import { RedeliverSince } from './redeliver-since.tsx';
import { deliveriesQuery } from './webhook-queries.ts';

const FILTERS = ['all', 'pending', 'failed', 'held'] as const satisfies readonly (DeliveryStatus | 'all')[];
type Filter = (typeof FILTERS)[number];

export function Deliveries({ endpointId }: { endpointId: string }) {
  const text = useText();
  const { deliveries } = text.webhooks;
  const format = useFormat();
  const { id: accountId, canBuild } = useAccount();
  const [status, setStatus] = useState<Filter>('all');
  const [selectedId, setSelectedId] = useState<string | null>(null);
  const [isResending, setIsResending] = useState(false);
  const query = useInfiniteQuery(deliveriesQuery({ accountId, endpointId }, status));
  const inspector = useRef<HTMLDivElement>(null);
  const select = useCallback((id: string) => {
    setSelectedId(id);
    // On a narrow screen the details are below the list.
    requestAnimationFrame(() => inspector.current?.scrollIntoView({ block: 'nearest' }));
  }, []);
  return (
    <>
      <div className="toolbar">
        <Segmented<Filter>
          label={deliveries.status}
          choice={status}
          choices={FILTERS.map((value) => ({
            value,
            label: value === 'all' ? deliveries.all : deliveries.statuses[value],
          }))}
          onChoice={setStatus}
        />
        {canBuild && (
          <button className="button push" data-size="small" type="button" onClick={() => setIsResending(true)}>
            <Icon name="repeat" />
            {deliveries.redeliverSince}
          </button>
        )}
      </div>
      <Loaded query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) return <NoDeliveries isFiltered={status !== 'all'} />;
          const selected = items.find(({ id }) => id === selectedId) ?? items[0];
          return (
            <div className="columns" data-split="inspector">
              <div>
                <DeliveryTable items={items} selectedId={selected?.id ?? null} onSelect={select} />
                <ListFoot query={query} shown={deliveries.shown(format.number(items.length))} />
              </div>
              <div ref={inspector}>
                {selected !== undefined && <DeliveryInspector key={selected.id} delivery={selected} />}
              </div>
            </div>
          );
        }}
      </Loaded>
      {isResending && <RedeliverSince endpointId={endpointId} onClose={() => setIsResending(false)} />}
    </>
  );
}

function NoDeliveries({ isFiltered }: { isFiltered: boolean }) {
  const text = useText().webhooks.deliveries;
  if (isFiltered) return <p className="quiet">{text.noneOfStatus}</p>;
  return (
    <div className="empty">
      <h2>{text.none}</h2>
      <p>{text.noneHint}</p>
    </div>
  );
}

/** Drawn again only if it changes: the list can be long. */
const DeliveryRow = memo(function DeliveryRow(props: {
  delivery: Delivery;
  isCurrent: boolean;
  onSelect(id: string): void;
}) {
  const { delivery, isCurrent, onSelect } = props;
  const text = useText().webhooks.deliveries;
  const format = useFormat();
  return (
    <tr data-current={isCurrent ? '' : undefined}>
      <td data-label={text.columns.status}>
        <DeliveryState delivery={delivery} />
      </td>
      <th scope="row">
        <button className="row-button" type="button" aria-pressed={isCurrent} onClick={() => onSelect(delivery.id)}>
          {delivery.eventType} {delivery.isTest && <span className="badge">{text.test}</span>}
          <span className="sub mono">{shortId(delivery.eventId)}</span>
        </button>
      </th>
      <td data-label={text.columns.response} className="number">
        {delivery.lastAttempt?.statusCode ?? '—'}
        {delivery.lastAttempt !== null && (
          <span className="sub">
            {delivery.lastAttempt.statusCode === null ? text.noResponse : format.span(delivery.lastAttempt.latencyMs)}
          </span>
        )}
      </td>
      <td data-label={text.columns.time} className="number nowrap" title={format.full(delivery.createdAt)}>
        {format.moment(delivery.createdAt)}
      </td>
    </tr>
  );
});

function DeliveryTable(props: { items: readonly Delivery[]; selectedId: string | null; onSelect(id: string): void }) {
  const text = useText().webhooks.deliveries;
  return (
    <table className="table" data-inset data-density="tight" data-plain data-stack="lines">
      <TableHead
        columns={[
          text.columns.status,
          text.columns.event,
          { number: text.columns.response },
          { number: text.columns.time },
        ]}
      />
      <tbody>
        {props.items.map((delivery) => (
          <DeliveryRow
            delivery={delivery}
            isCurrent={delivery.id === props.selectedId}
            onSelect={props.onSelect}
            key={delivery.id}
          />
        ))}
      </tbody>
    </table>
  );
}

const shortId = (id: string): string => (id.length > 16 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id);
