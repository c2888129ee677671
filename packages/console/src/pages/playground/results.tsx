import type { Generation } from '@atelier/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccount, useSession } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Coins } from '../../parts/status.tsx';
import { Tabs, useTabs } from '../../parts/tabs.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { GenerationFailure } from '../generations/generation-failure.tsx';
import { generationsQuery, isEnded } from '../generations/generation-queries.ts';
import { GenerationState } from '../generations/generation-status.tsx';
import { OutputViewer } from '../generations/output-viewer.tsx';
import { createRequest } from '../quickstart/snippets.ts';
import type { PriceRequest } from './price-follower.ts';
import { writeFragment } from './share-link.ts';

const MAX_EARLIER = 5;
type View = 'result' | 'code';

/** What the model made in this account, newest first, and the request for a program. */
export function Results(props: {
  modelId: string;
  request: PriceRequest & { readonly maxCoins: number };
  isConsent: boolean;
}) {
  const text = useText();
  const id = useTabs();
  const { apiUrl } = useSession();
  const [view, setView] = useState<View>('result');
  const body = { ...props.request, ...(props.isConsent ? { consent: true as const } : {}) };
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <section className="results" aria-label={text.playground.result} tabIndex={0}>
      <Tabs<View>
        id={id}
        label={text.playground.view}
        tabs={[
          { value: 'result', label: text.playground.result },
          { value: 'code', label: text.playground.code },
        ]}
        current={view}
        onCurrent={setView}
      />
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${view}`} className="stack">
        {view === 'code' ? (
          <>
            <p className="quiet">{text.playground.codeHint}</p>
            <Code label={text.snippets.language} samples={createRequest(apiUrl, body)} />
          </>
        ) : (
          <Runs modelId={props.modelId} />
        )}
      </div>
    </section>
  );
}

function Runs({ modelId }: { modelId: string }) {
  const text = useText().playground;
  const { id: accountId } = useAccount();
  const query = useInfiniteQuery(generationsQuery(accountId, { modelId }));
  const [latest, ...earlier] = query.data?.pages[0]?.items.slice(0, 1 + MAX_EARLIER) ?? [];
  if (query.data === undefined) return query.error === null ? null : <ProblemNotice error={query.error} />;
  if (latest === undefined) {
    return (
      <div className="empty">
        <h2>{text.empty}</h2>
        <p>{text.emptyHint}</p>
      </div>
    );
  }
  return (
    <>
      <Run key={latest.id} generation={latest} isLatest />
      {earlier.length > 0 && <h2 className="quiet small">{text.earlier}</h2>}
      {earlier.map((generation) => (
        <Run key={generation.id} generation={generation} isLatest={false} />
      ))}
    </>
  );
}

function Run({ generation, isLatest }: { generation: Generation; isLatest: boolean }) {
  const text = useText().playground;
  const format = useFormat();
  const { id: accountId } = useAccount();
  const { coinsCharged, coinsQuoted, createdAt, effect, modelId, params } = generation;
  return (
    <article className="run" data-run={generation.id} data-latest={isLatest || undefined}>
      <header className="section-head">
        <h2 className="inline" aria-live={isLatest ? 'polite' : undefined}>
          <GenerationState generation={generation} />
          <span className="quiet number" title={format.full(createdAt)}>
            {format.near(createdAt)}
          </span>
        </h2>
        <div className="actions">
          <span className="quiet">
            <Coins>{format.number(coinsCharged ?? coinsQuoted)}</Coins>{' '}
            {coinsCharged === null ? text.held : text.charged}
          </span>
          {isEnded(generation) && (
            <Link
              className="button"
              data-size="small"
              data-kind="plain"
              to="/accounts/$accountId/playground"
              params={{ accountId }}
              search={effect === null ? { model: modelId } : { effect: effect.id }}
              hash={writeFragment(params) ?? ''}
            >
              {text.useSettings}
            </Link>
          )}
          <Link
            className="button"
            data-size="small"
            data-kind="plain"
            to="/accounts/$accountId/generations/$generationId"
            params={{ accountId, generationId: generation.id }}
          >
            {text.details}
          </Link>
        </div>
      </header>
      <GenerationFailure generation={generation} />
      {isLatest && generation.outputs.length > 0 ? (
        <OutputViewer generation={generation} />
      ) : (
        <Tiles generation={generation} />
      )}
    </article>
  );
}

/** Small pictures of the outputs, and a place for each that is not there yet. */
function Tiles({ generation }: { generation: Generation }) {
  const text = useText().playground;
  const { outputs, outputsRequested, progress, status } = generation;
  const waiting = isEnded(generation) ? 0 : Math.max(0, outputsRequested - outputs.length);
  if (outputs.length === 0 && waiting === 0) return null;
  return (
    <div className="result-grid">
      {outputs.map(({ id, thumbnailUrl, width, height }) => (
        <figure className="result" key={id}>
          <img src={thumbnailUrl} width={width ?? undefined} height={height ?? undefined} alt={generation.modelName} />
        </figure>
      ))}
      {Array.from({ length: waiting }, (_, at) => at + outputs.length + 1).map((n) => (
        <div className="result" data-state="running" key={n}>
          <span className={n === outputs.length + 1 ? undefined : 'quiet'}>{text.output(n, outputsRequested)}</span>
          {status === 'processing' && (
            <progress
              className="progress"
              max={1}
              {...(progress === null ? {} : { value: progress })}
              aria-label={text.output(n, outputsRequested)}
            />
          )}
        </div>
      ))}
    </div>
  );
}
