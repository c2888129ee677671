import type { Generation } from '@atelier/contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { memo, useDeferredValue } from 'react';
import { useAccount, useSession } from '../../api/session.ts';
import { Code } from '../../parts/code.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ListFoot } from '../../parts/list-foot.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { RowLink } from '../../parts/row-link.tsx';
import { Coins } from '../../parts/status.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { firstRequest } from '../quickstart/snippets.ts';
import { GenerationFilterBar } from './generation-filters.tsx';
import { type GenerationFilters, generationsQuery } from './generation-queries.ts';
import { GenerationState } from './generation-status.tsx';
import { LiveSign } from './live-sign.tsx';
import { Preview } from './preview.tsx';
import { useLiveGenerations } from './use-live-generations.ts';

const route = getRouteApi('/accounts/$accountId/generations');

export function GenerationsPage() {
  const whole = useText();
  const text = whole.generations;
  const format = useFormat();
  const { id: accountId } = useAccount();
  const filters = route.useSearch();
  const navigate = useNavigate();
  const { isOpen } = useLiveGenerations(accountId);
  const query = useInfiniteQuery(generationsQuery(accountId, filters));
  const setFilters = (next: GenerationFilters) =>
    void navigate({ to: '/accounts/$accountId/generations', params: { accountId }, search: next, replace: true });
  const isFiltered = Object.keys(filters).length > 0;
  return (
    <>
      <PageHead title={text.title} description={text.description} actions={<LiveSign isOpen={isOpen} />} />
      <GenerationFilterBar filters={filters} onFilters={setFilters} />
      <Loaded query={query}>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) return isFiltered ? <NoMatch onClear={() => setFilters({})} /> : <NoGenerations />;
          return (
            <>
              <GenerationTable items={items} />
              <ListFoot query={query} shown={text.shown(format.number(items.length))} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** What the request asked for, in a few words. */
function gistOf({ params, effect, modelId }: Generation): string {
  const words = [params.prompt, params.text, params.lyrics].find((value) => typeof value === 'string' && value !== '');
  return String(words ?? effect?.text ?? modelId);
}

function GenerationTable({ items }: { items: readonly Generation[] }) {
  // Another filter can bring hundreds of rows: its control shows the choice before they are drawn.
  const shown = useDeferredValue(items);
  const text = useText().generations;
  const { id: accountId } = useAccount();
  return (
    <table className="table" data-stack="lines" data-density="tight">
      <TableHead
        columns={[
          text.columns.model,
          text.columns.status,
          { number: text.columns.coins },
          { number: text.columns.time },
        ]}
      />
      <tbody>
        {shown.map((generation) => (
          <GenerationRow generation={generation} accountId={accountId} key={generation.id} />
        ))}
      </tbody>
    </table>
  );
}

/** Drawn again only if the generation changes: a long list follows every report of progress. */
const GenerationRow = memo(function GenerationRow(props: { generation: Generation; accountId: string }) {
  const { generation, accountId } = props;
  const text = useText().generations;
  const format = useFormat();
  return (
    <tr>
      <th scope="row">
        <RowLink className="previewed" path={`/accounts/${accountId}/generations/${generation.id}`}>
          <Preview generation={generation} />
          <span>
            {generation.modelName}
            <span className="sub">{gistOf(generation)}</span>
          </span>
        </RowLink>
      </th>
      <td data-label={text.columns.status} data-wide>
        <GenerationState generation={generation} />
      </td>
      <td data-label={text.columns.coins} className="number" data-omit>
        <Coins>{format.number(generation.coinsCharged ?? generation.coinsQuoted)}</Coins>
      </td>
      <td className="number nowrap" title={format.full(generation.createdAt)}>
        {format.moment(generation.createdAt)}
      </td>
    </tr>
  );
});

function NoMatch({ onClear }: { onClear(): void }) {
  const text = useText().generations;
  return (
    <div className="empty">
      <p>{text.noMatch}</p>
      <button className="button" type="button" onClick={onClear}>
        {text.clear}
      </button>
    </div>
  );
}

function NoGenerations() {
  const text = useText();
  const { apiUrl } = useSession();
  const { id: accountId } = useAccount();
  return (
    <div className="empty">
      <h2>{text.generations.empty.title}</h2>
      <p>{text.generations.empty.hint}</p>
      <Code label={text.snippets.language} samples={firstRequest({ apiUrl, key: null })} />
      <div className="actions">
        <Link className="button" data-kind="primary" to="/accounts/$accountId/keys" params={{ accountId }}>
          <Icon name="key" />
          {text.generations.empty.key}
        </Link>
      </div>
    </div>
  );
}
