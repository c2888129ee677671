import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useAccount, useSession } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useText } from '../../text/use-text.ts';
import { firstRequest, pollSamples, verifySamples } from './snippets.ts';

function Step(props: { title: string; hint: string; children: ReactNode }) {
  return (
    <section className="section">
      <div className="section-head">
        <h2>{props.title}</h2>
        <span className="beside">{props.hint}</span>
      </div>
      {props.children}
    </section>
  );
}

export function QuickstartPage() {
  const text = useText();
  const { apiUrl } = useSession();
  const { id: accountId } = useAccount();
  const { steps } = text.quickstart;
  return (
    <>
      <PageHead
        title={text.quickstart.title}
        description={text.quickstart.description}
        actions={
          <Link className="button" data-kind="primary" to="/accounts/$accountId/keys" params={{ accountId }}>
            <Icon name="key" />
            {text.quickstart.createKey}
          </Link>
        }
      />
      <dl className="facts">
        <div>
          <dt>{text.quickstart.baseUrl}</dt>
          <dd className="mono inline">
            {apiUrl}
            <CopyButton value={apiUrl} label={text.actions.copy} />
          </dd>
        </div>
        <div>
          <dt>{text.quickstart.authorization}</dt>
          <dd className="mono">Authorization: Bearer $ATELIER_KEY</dd>
        </div>
      </dl>
      <Step title={steps.generate} hint={steps.generateHint}>
        <Code label={steps.generate} samples={firstRequest({ apiUrl, key: null })} />
      </Step>
      <Step title={steps.wait} hint={steps.waitHint}>
        <Code label={steps.wait} samples={pollSamples(apiUrl)} />
      </Step>
      <Step title={steps.verify} hint={steps.verifyHint}>
        <Code label={steps.verify} samples={verifySamples} />
      </Step>
    </>
  );
}
