import type { DeskModel } from '@atelier/contract/desk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Status } from '../parts/status.tsx';
import { TableHead } from '../parts/table-head.tsx';
import { useFormat } from '../parts/use-format.ts';
import { DeskLink } from './desk-link.tsx';
import { modelsQuery } from './desk-queries.ts';
import { Margin } from './margin.tsx';
import { useDeskText } from './use-desk-text.ts';

export function ModelsPage() {
  const text = useDeskText().models;
  const format = useFormat();
  const query = useQuery(modelsQuery);
  const [sought, setSought] = useState('');
  return (
    <>
      <PageHead title={text.title} description={text.description(format.number(query.data?.sampled ?? 0))} />
      <div className="toolbar">
        <SearchField label={text.find} value={sought} onChange={setSought} />
      </div>
      <Loaded query={query}>
        {({ items }) => (
          <table className="table section" data-stack="card" data-density="tight">
            <TableHead
              columns={[
                text.model,
                text.state,
                { number: text.price },
                { number: text.generations },
                { number: text.captured },
                { number: text.cost },
                text.margin,
              ]}
            />
            <tbody>
              {items
                .filter(({ id, name }) => `${id} ${name}`.toLowerCase().includes(sought.trim().toLowerCase()))
                .map((model) => (
                  <Row key={model.id} model={model} />
                ))}
            </tbody>
          </table>
        )}
      </Loaded>
    </>
  );
}

function Row({ model }: { model: DeskModel }) {
  const text = useDeskText().models;
  const format = useFormat();
  return (
    <tr>
      <th scope="row">
        <DeskLink to={`/models/${model.id}`}>{model.name}</DeskLink>{' '}
        {model.pricedHere && <span className="badge">{text.changed}</span>}
        <span className="sub mono">{model.id}</span>
      </th>
      <td data-label={text.state}>
        <ModelState model={model} />
      </td>
      <td data-label={text.price} className="number">
        {model.priceFrom === null ? '–' : format.number(model.priceFrom)}
      </td>
      <td data-label={text.generations} className="number">
        {format.number(model.generations)}
      </td>
      <td data-label={text.captured} className="number">
        {format.number(model.capturedCoins)}
      </td>
      <td data-label={text.cost} className="number">
        {model.costCoins === null ? '–' : format.number(Math.round(model.costCoins))}
      </td>
      <td data-label={text.margin}>
        <Margin captured={model.capturedCoins} cost={model.costCoins} />
      </td>
    </tr>
  );
}

export function ModelState({ model }: { model: DeskModel }) {
  const text = useDeskText().models;
  if (model.closedBy !== null) {
    return (
      <Status status="failed" icon="lock">
        {model.closedBy === 'catalog' ? text.closedByCatalog : text.closed}
      </Status>
    );
  }
  return model.served ? (
    <Status status="succeeded" icon="succeeded">
      {text.open}
    </Status>
  ) : (
    <Status status="pending" icon="warning">
      {text.unserved}
    </Status>
  );
}
