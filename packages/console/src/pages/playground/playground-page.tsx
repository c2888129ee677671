import { useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from '@tanstack/react-router';
import { useRef } from 'react';
import { useAccount } from '../../api/session.ts';
import { SkeletonTable } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useText } from '../../text/use-text.ts';
import { modelsQuery } from '../generations/generation-queries.ts';
import { useLiveGenerations } from '../generations/use-live-generations.ts';
import { FIRST } from '../quickstart/snippets.ts';
import { asUsable, findTarget } from './find-target.ts';
import { ModelList } from './model-list.tsx';
import { effectsQuery } from './playground-queries.ts';
import { type PlaygroundSearch, readFragment } from './share-link.ts';
import { Workbench } from './workbench.tsx';

export function PlaygroundPage() {
  const text = useText().playground;
  const { id: accountId, mode } = useAccount();
  const search: PlaygroundSearch = useSearch({ strict: false });
  const hash = useLocation({ select: (location) => location.hash });
  // The same link again fills the form again.
  const visit = useLocation({ select: (location) => location.state.__TSR_key ?? '' });
  const list = useRef<HTMLElement>(null);
  useLiveGenerations(accountId);
  const models = useQuery(modelsQuery(accountId));
  const effects = useQuery(effectsQuery(accountId));
  if (models.data === undefined || (effects.data === undefined && effects.error === null)) {
    return (
      <div className="main">
        <PageHead title={text.title} />
        {models.error === null ? (
          <SkeletonTable />
        ) : (
          <ProblemNotice error={models.error} onRetry={() => void models.refetch()} />
        )}
      </div>
    );
  }
  const cards = {
    models: models.data.models.map((each) => asUsable(each, mode)),
    effects: effects.data?.effects ?? [],
  };
  const found = findTarget({ ...cards, search });
  if (found === null) {
    return (
      <div className="main">
        <PageHead title={text.title} />
        <div className="empty">
          <h2>{text.noModels}</h2>
          <p>{text.noModelsHint}</p>
        </div>
      </div>
    );
  }
  const { model, effect } = found.target;
  // Who comes without a choice gets a form that is ready to start.
  const isFirst = search.model === undefined && search.effect === undefined && model.id === FIRST.modelId;
  const given = isFirst && hash === '' ? FIRST.params : readFragment(hash);
  return (
    <div className="playground">
      <ModelList {...cards} target={found.target} ref={list} />
      <Workbench
        key={`${accountId} ${model.id} ${effect?.id ?? ''} ${hash} ${visit}`}
        target={found.target}
        given={given}
        missing={found.missing}
      />
    </div>
  );
}
