import type { Generation, ParamName, ParamValue } from '@atelier/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccount, useSession } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { useText } from '../../text/use-text.ts';
import { createRequest } from '../quickstart/snippets.ts';
import { assetQuery } from './generation-queries.ts';

/** Params whose values are ids of uploads. */
const MEDIA: readonly string[] = [
  'image',
  'images',
  'first_frame',
  'last_frame',
  'mask',
  'video',
  'audio',
  'garment',
] satisfies ParamName[];

function InputThumb({ name, assetId }: { name: string; assetId: string }) {
  const text = useText().generations.detail;
  const { id: accountId } = useAccount();
  const query = useQuery(assetQuery(accountId, assetId));
  const asset = query.data;
  const size = asset?.width != null && asset.height !== null ? `${asset.width} × ${asset.height}` : '';
  return (
    <div className="thumb">
      {asset === undefined ? (
        <span className="skeleton" data-shape="picture" />
      ) : (
        <img src={asset.thumbnailUrl} alt="" />
      )}
      <span>
        <b>{name}</b>
        {query.error === null ? size : text.removed}
      </span>
    </div>
  );
}

export function GenerationParams({ generation }: { generation: Generation }) {
  const text = useText().generations.detail;
  const [format, setFormat] = useState<'form' | 'json'>('form');
  const entries = Object.entries(generation.params) as [string, ParamValue][];
  const media = entries.flatMap(([name, value]) =>
    MEDIA.includes(name) ? [value].flat().map((assetId) => ({ name, assetId: String(assetId) })) : [],
  );
  const plain = entries.filter(([name]) => !MEDIA.includes(name));
  return (
    <section className="section" aria-labelledby="params">
      <div className="section-head">
        <h2 id="params">{text.params}</h2>
        <span className="beside">
          <code>{generation.modelId}</code>, {generation.taskType}
        </span>
        <Segmented<'form' | 'json'>
          label={text.format}
          choice={format}
          choices={[
            { value: 'form', label: text.form },
            { value: 'json', label: text.json },
          ]}
          onChoice={setFormat}
        />
      </div>
      {format === 'json' ? (
        <Code
          label={text.params}
          samples={[{ label: text.json, language: 'json', code: JSON.stringify(generation.params, null, 2) }]}
          wrap
        />
      ) : (
        <div className="stack">
          {entries.length === 0 && <p className="quiet">{text.noParams}</p>}
          {media.length > 0 && (
            <div className="thumbs">
              {media.map(({ name, assetId }) => (
                <InputThumb name={name} assetId={assetId} key={`${name} ${assetId}`} />
              ))}
            </div>
          )}
          {plain.length > 0 && (
            <dl className="pairs">
              {plain.map(([name, value]) => (
                <div className="pair" key={name}>
                  <dt className="mono">{name}</dt>
                  <dd>{[value].flat().join(', ')}</dd>
                </div>
              ))}
            </dl>
          )}
        </div>
      )}
    </section>
  );
}

/** The request that would make the same generation again. */
export function SameRequest({ generation }: { generation: Generation }) {
  const text = useText();
  const { apiUrl } = useSession();
  const { modelId, params, effect, coinsQuoted } = generation;
  const body = { modelId, params, maxCoins: coinsQuoted, ...(effect === null ? {} : { effectId: effect.id }) };
  return (
    <section className="section" aria-labelledby="same">
      <div className="section-head">
        <h2 id="same">{text.generations.detail.same}</h2>
        <span className="beside">{text.generations.detail.sameHint}</span>
      </div>
      <Code label={text.snippets.language} samples={createRequest(apiUrl, body)} />
    </section>
  );
}
