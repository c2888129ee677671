import type { Asset, Generation } from '@atelier/contract';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useAccount } from '../../api/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { Compare } from './compare.tsx';
import { assetQuery } from './generation-queries.ts';
import { ModelViewer } from './model-viewer.tsx';
import { TextOutput } from './text-output.tsx';

/** The outputs of a generation: one large, the others to choose from. */
export function OutputViewer({ generation }: { generation: Generation }) {
  const text = useText().generations.detail;
  const [index, setIndex] = useState(0);
  const [isZoomed, setIsZoomed] = useState(false);
  const output = generation.outputs[index] ?? generation.outputs[0];
  if (output === undefined) return null;
  return (
    <figure className="viewer">
      <Output output={output} generation={generation} />
      <footer>
        {generation.outputs.length > 1 && (
          <Segmented
            label={text.outputs}
            choice={String(index)}
            choices={generation.outputs.map((each, at) => ({ value: String(at), label: each.stem ?? String(at + 1) }))}
            onChoice={(value) => setIndex(Number(value))}
          />
        )}
        <OutputFacts output={output} />
        <span data-omit>{text.linkExpires}</span>
        <span className="actions push">
          <OtherFiles output={output} />
          {output.kind === 'image' && (
            <button
              className="button"
              data-kind="plain"
              data-shape="icon"
              type="button"
              aria-label={text.zoom}
              onClick={() => setIsZoomed(true)}
            >
              <Icon name="zoom" />
            </button>
          )}
          <a
            className="button"
            data-kind="plain"
            data-shape="icon"
            href={output.url}
            target="_blank"
            rel="noreferrer"
            download
            aria-label={text.download}
          >
            <Icon name="download" />
          </a>
        </span>
      </footer>
      {isZoomed && <Lightbox output={output} onClose={() => setIsZoomed(false)} />}
    </figure>
  );
}

function OutputFacts({ output }: { output: Asset }) {
  const format = useFormat();
  const size = output.width !== null && output.height !== null ? `${output.width} × ${output.height} px` : null;
  const length = output.durationSeconds === null ? null : format.span(output.durationSeconds * 1000);
  return <span>{[size, length, output.mimeType].filter((fact) => fact !== null).join(', ')}</span>;
}

/** The picture that an edit started from, if the request names one. */
function useBefore({ params, modality }: Generation): Asset | null {
  const { id: accountId } = useAccount();
  const id = modality === 'image' && typeof params.image === 'string' ? params.image : null;
  return useQuery({ ...assetQuery(accountId, id ?? ''), enabled: id !== null }).data ?? null;
}

function Output({ output, generation }: { output: Asset; generation: Generation }) {
  const before = useBefore(generation);
  switch (output.kind) {
    case 'image':
      return before !== null && hasSameShape(before, output) ? (
        <Compare before={before} after={output} />
      ) : (
        <img
          src={output.url}
          width={output.width ?? undefined}
          height={output.height ?? undefined}
          alt={generation.modelName}
        />
      );
    case 'video':
      // biome-ignore lint/a11y/useMediaCaption: a generated video has captions only if the model makes them
      return <video src={output.url} poster={output.posterUrl ?? undefined} controls loop playsInline />;
    case 'audio':
      return (
        <div className="player">
          <img src={output.thumbnailUrl} alt="" />
          {/* biome-ignore lint/a11y/useMediaCaption: a generated sound has captions only if the model makes them */}
          <audio src={output.url} controls preload="metadata" />
        </div>
      );
    case '3d':
      return <ModelViewer output={output} key={output.id} />;
    case 'text':
      return <TextOutput output={output} key={output.id} />;
  }
}

/** Files beside the output itself: other formats, subtitles. */
function OtherFiles({ output }: { output: Asset }) {
  const text = useText().generations.detail;
  const links = [
    ...(output.downloads ?? []).map(({ format, url }) => ({ label: format.toUpperCase(), url })),
    ...(output.subtitles == null
      ? []
      : [
          { label: `${text.subtitles} SRT`, url: output.subtitles.srtUrl },
          { label: `${text.subtitles} VTT`, url: output.subtitles.vttUrl },
        ]),
  ];
  return links.map(({ label, url }) => (
    <a className="button" data-kind="plain" data-size="small" href={url} target="_blank" rel="noreferrer" key={label}>
      <Icon name="download" />
      {label}
    </a>
  ));
}

const SAME_SHAPE = 0.02;

/** Before and after can lie on each other only if their sides have the same relation. */
export function hasSameShape(a: Pick<Asset, 'width' | 'height'>, b: Pick<Asset, 'width' | 'height'>): boolean {
  if (a.width === null || a.height === null || b.width === null || b.height === null) return false;
  return Math.abs(a.width / a.height / (b.width / b.height) - 1) < SAME_SHAPE;
}

function Lightbox({ output, onClose }: { output: Asset; onClose(): void }) {
  const text = useText().generations.detail;
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog className="lightbox" ref={ref} aria-label={text.zoom} onCancel={onClose}>
      <button className="button" type="button" onClick={onClose}>
        <Icon name="cross" />
        {text.zoomOut}
      </button>
      <img src={output.url} width={output.width ?? undefined} height={output.height ?? undefined} alt={text.zoom} />
    </dialog>
  );
}
