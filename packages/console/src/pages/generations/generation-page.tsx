import type { Generation } from '@atelier/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { useToast } from '../../parts/toast.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { writeFragment } from '../playground/share-link.ts';
import { GenerationFacts } from './generation-facts.tsx';
import { GenerationFailure } from './generation-failure.tsx';
import { GenerationParams, SameRequest } from './generation-params.tsx';
import { generationQuery } from './generation-queries.ts';
import { GenerationState } from './generation-status.tsx';
import { OutputViewer } from './output-viewer.tsx';
import { saveFiles } from './save-files.ts';
import { useLiveGenerations } from './use-live-generations.ts';

export function GenerationPage() {
  const { id: accountId } = useAccount();
  const { generationId = '' } = useParams({ strict: false });
  useLiveGenerations(accountId);
  const query = useQuery(generationQuery(accountId, generationId));
  return <Loaded query={query}>{(generation) => <GenerationView generation={generation} />}</Loaded>;
}

function GenerationView({ generation }: { generation: Generation }) {
  const text = useText().generations;
  const format = useFormat();
  const { id: accountId } = useAccount();
  const { createdAt, completedAt } = generation;
  return (
    <>
      <nav className="crumbs" aria-label="Breadcrumb">
        <Link to="/accounts/$accountId/generations" params={{ accountId }} search={{}}>
          {text.title}
        </Link>
        <Icon name="right" />
        <span className="mono url">{generation.id}</span>
      </nav>
      <PageHead
        title={generation.modelName}
        inline
        description={
          <>
            <GenerationState generation={generation} />
            <span title={format.full(createdAt)}>{format.near(createdAt)}</span>
            {completedAt !== null && (
              <span>{text.detail.took(format.span(Date.parse(completedAt) - Date.parse(createdAt)))}</span>
            )}
          </>
        }
        actions={<Actions generation={generation} />}
      />
      <div className="columns" data-split="aside">
        <div>
          <GenerationFailure generation={generation} />
          {generation.outputs.length > 0 ? (
            <OutputViewer generation={generation} />
          ) : (
            <Waiting generation={generation} />
          )}
          <GenerationParams generation={generation} />
          <SameRequest generation={generation} />
        </div>
        <GenerationFacts generation={generation} />
      </div>
    </>
  );
}

/** While nothing is there yet: how far it is. */
function Waiting({ generation }: { generation: Generation }) {
  const text = useText().generations;
  if (generation.status === 'failed') return null;
  const isActive = generation.status === 'queued' || generation.status === 'processing';
  return (
    <div className="panel stack" data-tone="sunken" role="status">
      <p className="quiet">{isActive ? text.detail.waiting : text.detail.none}</p>
      {generation.status === 'processing' && (
        <progress
          className="progress"
          max={1}
          {...(generation.progress === null ? {} : { value: generation.progress })}
          aria-label={text.statuses.processing}
        />
      )}
    </div>
  );
}

function Actions({ generation }: { generation: Generation }) {
  const text = useText().generations.detail;
  const toast = useToast();
  const { id: accountId, canBuild } = useAccount();
  const { effect, modelId, params } = generation;
  const [isCanceling, setIsCanceling] = useState(false);
  const copyLink = () => void navigator.clipboard.writeText(location.href).then(() => toast(text.linkCopied));
  const [only] = generation.outputs;
  const downloads = useMutation({
    mutationFn: () => saveFiles(generation.outputs.map(({ url }) => url)),
    onError: () => toast(text.downloadFailed, 'danger'),
  });
  return (
    <>
      <button className="button" type="button" onClick={copyLink}>
        <Icon name="link" />
        {text.copyLink}
      </button>
      <Link
        className="button"
        to="/accounts/$accountId/playground"
        params={{ accountId }}
        search={effect === null ? { model: modelId } : { effect: effect.id }}
        hash={writeFragment(params) ?? ''}
      >
        <Icon name="repeat" />
        {text.repeat}
      </Link>
      {canBuild && generation.status === 'queued' && (
        <button className="button" data-kind="danger" type="button" onClick={() => setIsCanceling(true)}>
          {text.cancel}
        </button>
      )}
      {generation.outputs.length > 1 && (
        <button
          className="button"
          data-kind="primary"
          type="button"
          disabled={downloads.isPending}
          onClick={() => downloads.mutate()}
        >
          <Icon name="download" />
          {text.downloadAll(generation.outputs.length)}
        </button>
      )}
      {only !== undefined && generation.outputs.length === 1 && (
        <a className="button" data-kind="primary" href={only.url} target="_blank" rel="noreferrer" download>
          <Icon name="download" />
          {text.download}
        </a>
      )}
      {isCanceling && <CancelDialog generation={generation} onClose={() => setIsCanceling(false)} />}
    </>
  );
}

function CancelDialog({ generation, onClose }: { generation: Generation; onClose(): void }) {
  const text = useText().generations.detail;
  const toast = useToast();
  const queries = useQueryClient();
  const { id: accountId } = useAccount();
  const cancel = useMutation({
    mutationFn: () => request('POST /v1/generations/{id}/cancel', { params: { accountId, id: generation.id } }),
    onSuccess(canceled) {
      queries.setQueryData(generationQuery(accountId, generation.id).queryKey, canceled);
      toast(text.canceled);
      onClose();
    },
  });
  return (
    <Dialog
      title={text.cancelTitle}
      description={text.cancelHint}
      cancel={text.keep}
      action={text.cancel}
      actionKind="danger"
      busy={cancel.isPending}
      onSubmit={() => cancel.mutate()}
      onClose={onClose}
    >
      {cancel.error !== null && <ProblemNotice error={cancel.error} />}
    </Dialog>
  );
}
