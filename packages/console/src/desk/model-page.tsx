import type { DeskModelDetail } from '@atelier/contract/desk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../api/request.ts';
import { Loaded } from '../parts/loaded.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { useToast } from '../parts/toast.tsx';
import { DeskLink } from './desk-link.tsx';
import { modelQuery } from './desk-queries.ts';
import { ModelState } from './models-page.tsx';
import { PriceEditor } from './price-editor.tsx';
import { ReasonDialog } from './reason-dialog.tsx';
import { RouteCosts } from './route-costs.tsx';
import { useDeskText } from './use-desk-text.ts';

export function ModelPage() {
  const { modelId = '' } = useParams({ strict: false }) as { modelId?: string };
  const query = useQuery(modelQuery(modelId));
  return <Loaded query={query}>{(model) => <Model model={model} />}</Loaded>;
}

function Model({ model }: { model: DeskModelDetail }) {
  const text = useDeskText().model;
  const [isClosing, setIsClosing] = useState(false);
  return (
    <>
      <nav className="crumbs" aria-label={text.crumbs}>
        <DeskLink to="/models">{text.crumbs}</DeskLink>
      </nav>
      <PageHead
        title={model.name}
        description={
          <>
            <ModelState model={model} /> <code>{model.id}</code>
          </>
        }
        inline
        actions={
          model.closedBy !== 'catalog' && (
            <button
              className="button"
              data-kind={model.closedBy === null ? 'danger' : 'primary'}
              type="button"
              onClick={() => setIsClosing(true)}
            >
              {model.closedBy === null ? text.close : text.open}
            </button>
          )
        }
      />
      <PriceEditor key={JSON.stringify(model.price)} model={model} />
      <RouteCosts key={JSON.stringify(model.routes.map(({ costCoins }) => costCoins))} model={model} />
      {isClosing && <CloseDialog model={model} onClose={() => setIsClosing(false)} />}
    </>
  );
}

function CloseDialog({ model, onClose }: { model: DeskModelDetail; onClose(): void }) {
  const text = useDeskText().model;
  const toast = useToast();
  const queries = useQueryClient();
  const closed = model.closedBy === null;
  const change = async (reason: string) => {
    const next = await request('POST /api/desk/models/{modelId}/close', {
      params: { modelId: model.id },
      body: { closed, reason },
    });
    queries.setQueryData(modelQuery(model.id).queryKey, next);
    toast(closed ? text.closedNow : text.openNow);
  };
  return (
    <ReasonDialog
      title={closed ? text.close : text.open}
      description={text.closeHint}
      action={closed ? text.close : text.open}
      danger={closed}
      change={change}
      onClose={onClose}
    />
  );
}
