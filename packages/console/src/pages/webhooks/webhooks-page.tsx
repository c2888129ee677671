import type { CreatedEndpoint, Endpoint } from '@atelier/contract/console';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { keysQuery } from '../keys/keys-queries.ts';
import { EndpointForm } from './endpoint-form.tsx';
import { EndpointStatus, shortEvents } from './endpoint-status.tsx';
import { SecretPanel } from './secret-panel.tsx';
import { endpointsQuery } from './webhook-queries.ts';

const EXAMPLE = `POST /hooks
Service-Signature: t=1767609062,v1=9e167314b2f99959…
Service-Event-Id: 0198a1c3-6127-7f3b-9c48-e05d7b2a64f1
Service-Event-Type: generation.succeeded

{
  "id": "0198a1c3-6127-7f3b-9c48-e05d7b2a64f1",
  "type": "generation.succeeded",
  "createdAt": "2026-01-05T09:30:44.000Z",
  "data": { "generation": { "status": "succeeded", "outputs": [ … ] } }
}`;

export function WebhooksPage() {
  const text = useText().webhooks;
  const account = useAccount();
  const query = useQuery(endpointsQuery(account.id));
  const [isAdding, setIsAdding] = useState(false);
  const [created, setCreated] = useState<CreatedEndpoint | null>(null);
  return (
    <>
      <PageHead
        title={text.title}
        description={text.description}
        actions={
          account.canBuild && (
            <button className="button" data-kind="primary" type="button" onClick={() => setIsAdding(true)}>
              <Icon name="plus" />
              {text.add}
            </button>
          )
        }
      />
      {created !== null && (
        <SecretPanel title={text.secret.added} secret={created.secret} onDone={() => setCreated(null)} />
      )}
      <Loaded query={query}>
        {({ items }) => (items.length === 0 ? <NoEndpoints /> : <EndpointTable endpoints={items} />)}
      </Loaded>
      {isAdding && (
        <EndpointForm
          editing={null}
          onCreated={(next) => {
            setCreated(next);
            setIsAdding(false);
          }}
          onSaved={() => setIsAdding(false)}
          onClose={() => setIsAdding(false)}
        />
      )}
    </>
  );
}

function EndpointTable({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const text = useText().webhooks;
  const format = useFormat();
  const { id: accountId } = useAccount();
  const keys = useQuery(keysQuery(accountId)).data?.items ?? [];
  const nameOfKey = (id: string | null) =>
    id === null ? text.allKeys : (keys.find((key) => key.id === id)?.name ?? id.slice(0, 8));
  return (
    <section className="section" aria-label={text.title}>
      <table className="table" data-stack="card">
        <TableHead
          columns={[
            text.columns.url,
            text.columns.status,
            text.columns.events,
            text.columns.key,
            { number: text.columns.created },
          ]}
        />
        <tbody>
          {endpoints.map((endpoint) => (
            <tr key={endpoint.id}>
              <th scope="row" className="url">
                <Link to="/accounts/$accountId/webhooks/$endpointId" params={{ accountId, endpointId: endpoint.id }}>
                  {endpoint.url}
                </Link>
              </th>
              <td data-label={text.columns.status}>
                <EndpointStatus endpoint={endpoint} />
              </td>
              <td data-label={text.columns.events}>{shortEvents(endpoint.events)}</td>
              <td data-label={text.columns.key}>{nameOfKey(endpoint.keyId)}</td>
              <td data-label={text.columns.created} className="number nowrap">
                {format.day(endpoint.createdAt)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function NoEndpoints() {
  const text = useText().webhooks;
  return (
    <div className="empty">
      <h2>{text.empty.title}</h2>
      <p>{text.empty.hint}</p>
      <Code label={text.deliveries.request} samples={[{ label: 'HTTP', language: 'http', code: EXAMPLE }]} />
    </div>
  );
}
