import type { Endpoint } from '@atelier/contract/console';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Tabs, useTabs } from '../../parts/tabs.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { keysQuery } from '../keys/keys-queries.ts';
import { verifySamples } from '../quickstart/snippets.ts';
import { Deliveries } from './deliveries.tsx';
import { countDeliveries } from './delivery-figures.ts';
import { EndpointActions } from './endpoint-actions.tsx';
import { EndpointStatus, shortEvents } from './endpoint-status.tsx';
import { SecretPanel } from './secret-panel.tsx';
import { SignatureDebugger } from './signature-debugger.tsx';
import { endpointQuery, recentDeliveriesQuery } from './webhook-queries.ts';

export function EndpointPage() {
  const { id: accountId } = useAccount();
  const { endpointId = '' } = useParams({ strict: false });
  const query = useQuery(endpointQuery({ accountId, endpointId }));
  return <Loaded query={query}>{(endpoint) => <EndpointView endpoint={endpoint} />}</Loaded>;
}

function EndpointView({ endpoint }: { endpoint: Endpoint }) {
  const text = useText().webhooks;
  const { id: accountId, canBuild } = useAccount();
  const tabs = useTabs();
  const [tab, setTab] = useState<'deliveries' | 'debugger' | 'code'>('deliveries');
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <>
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/accounts/$accountId/webhooks" params={{ accountId }}>
          {text.title}
        </Link>
        <Icon name="right" />
        <span>{hostOf(endpoint.url)}</span>
      </nav>
      <PageHead
        title={endpoint.url}
        titleClass="url"
        inline
        description={
          <>
            <EndpointStatus endpoint={endpoint} />
            {endpoint.statusReason !== null && <span>{endpoint.statusReason}</span>}
          </>
        }
        actions={canBuild && <EndpointActions endpoint={endpoint} onSecret={setSecret} />}
      />
      {secret !== null && <SecretPanel title={text.secret.rotated} secret={secret} onDone={() => setSecret(null)} />}
      <Facts endpoint={endpoint} />
      <section className="section" aria-label={text.tabs.label}>
        <Tabs<'deliveries' | 'debugger' | 'code'>
          id={tabs}
          label={text.tabs.label}
          tabs={[
            { value: 'deliveries', label: text.tabs.deliveries },
            { value: 'debugger', label: text.tabs.debugger },
            { value: 'code', label: text.tabs.code },
          ]}
          current={tab}
          onCurrent={setTab}
        />
        <div id={`${tabs}-panel`} role="tabpanel" aria-labelledby={`${tabs}-${tab}`}>
          {tab === 'deliveries' && <Deliveries endpointId={endpoint.id} />}
          {tab === 'debugger' && <SignatureDebugger endpointId={endpoint.id} />}
          {tab === 'code' && (
            <div className="section">
              <Code label={text.tabs.code} samples={verifySamples} />
            </div>
          )}
        </div>
      </section>
    </>
  );
}

function hostOf(url: string): string {
  return URL.parse(url)?.host ?? url;
}

function Facts({ endpoint }: { endpoint: Endpoint }) {
  const text = useText().webhooks;
  const format = useFormat();
  const { id: accountId } = useAccount();
  const keys = useQuery(keysQuery(accountId)).data?.items ?? [];
  const recent = useQuery(recentDeliveriesQuery({ accountId, endpointId: endpoint.id })).data?.items ?? [];
  const figures = countDeliveries(recent);
  const keyName = keys.find(({ id }) => id === endpoint.keyId)?.name ?? endpoint.keyId;
  return (
    <dl className="facts">
      <div>
        <dt>{text.facts.events}</dt>
        <dd>{shortEvents(endpoint.events)}</dd>
      </div>
      <div>
        <dt>{text.facts.key}</dt>
        <dd>{keyName ?? text.allKeys}</dd>
      </div>
      <div>
        <dt>{text.facts.delivered}</dt>
        <dd>
          {figures.all === 0
            ? text.facts.none
            : text.facts.deliveredOf(format.number(figures.delivered), format.number(figures.all))}
        </dd>
      </div>
      <div>
        <dt>{text.facts.latency}</dt>
        <dd>
          {figures.medianMs === null || figures.p95Ms === null
            ? text.facts.none
            : text.facts.latencyOf(format.span(figures.medianMs), format.span(figures.p95Ms))}
        </dd>
      </div>
      <div>
        <dt>{text.facts.created}</dt>
        <dd>{format.day(endpoint.createdAt)}</dd>
      </div>
    </dl>
  );
}
