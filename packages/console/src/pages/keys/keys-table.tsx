import type { ConsoleKey } from '@atelier/contract/console';
import { Menu, type MenuItem } from '../../parts/menu.tsx';
import { TableHead } from '../../parts/table-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { displayKey } from './keys-queries.ts';

const DAY_MS = 86_400_000;
/** A key that expires within this time is marked. */
const SOON_MS = 14 * DAY_MS;
/** From here on a meter warns. */
const WARN_PART = 0.8;

function Spent({ apiKey }: { apiKey: ConsoleKey }) {
  const text = useText().keys;
  const format = useFormat();
  const { monthlySpendCapCoins: cap, spentThisMonthCoins: spent } = apiKey;
  if (!apiKey.scopes.includes('generate')) return <span className="quiet">{text.cannotSpend}</span>;
  if (cap === null) {
    return (
      <div className="metered">
        <span>
          <b>{format.number(spent)}</b>
          <span className="quiet">{text.noCap}</span>
        </span>
      </div>
    );
  }
  const high = Math.max(cap - 1, cap * WARN_PART);
  return (
    <div className="metered">
      <span>
        <b>{format.number(spent)}</b>
        <span className="quiet">{text.of(format.number(cap))}</span>
      </span>
      <meter
        className="meter"
        min={0}
        max={cap}
        low={cap * WARN_PART}
        high={high}
        optimum={0}
        value={Math.min(spent, cap)}
        aria-label={text.spentOf(format.number(spent), format.number(cap))}
      />
      {spent >= cap && <span className="sub">{text.capReached}</span>}
    </div>
  );
}

function Expires({ at }: { at: string | null }) {
  const text = useText().keys;
  const format = useFormat();
  if (at === null) return <span className="quiet">{text.never}</span>;
  return Date.parse(at) - Date.now() < SOON_MS ? (
    <span className="badge" data-tone="warning" title={format.full(at)}>
      {format.near(at)}
    </span>
  ) : (
    format.day(at)
  );
}

export function ActiveKeys(props: {
  keys: readonly ConsoleKey[];
  newId: string | null;
  menuOf: ((key: ConsoleKey) => readonly MenuItem[]) | null;
}) {
  const text = useText().keys;
  const format = useFormat();
  const spent = text.columns.spent(format.monthName());
  return (
    <table className="table" data-stack="card">
      <TableHead
        columns={[
          text.columns.name,
          text.columns.key,
          text.columns.scopes,
          spent,
          text.columns.lastUsed,
          text.columns.expires,
        ]}
        actions={props.menuOf !== null ? text.columns.actions : null}
      />
      <tbody>
        {props.keys.map((key) => (
          <tr key={key.id}>
            <th scope="row">
              {key.name}{' '}
              {key.id === props.newId && (
                <span className="badge" data-tone="accent">
                  {text.isNew}
                </span>
              )}
              <span className="sub">{text.created(format.day(key.createdAt))}</span>
            </th>
            <td data-label={text.columns.key} data-wide className="mono nowrap">
              {displayKey(key)}
            </td>
            <td data-label={text.columns.scopes}>{key.scopes.join(', ')}</td>
            <td data-label={spent}>
              <Spent apiKey={key} />
              {key.requestCapCoins !== null && (
                <span className="sub">{text.once.requestCap(format.number(key.requestCapCoins))}</span>
              )}
            </td>
            <td data-label={text.columns.lastUsed} className={key.lastUsedAt === null ? 'quiet nowrap' : 'nowrap'}>
              {key.lastUsedAt === null ? text.never : format.near(key.lastUsedAt)}
            </td>
            <td data-label={text.columns.expires} className="nowrap">
              <Expires at={key.expiresAt} />
            </td>
            {props.menuOf !== null && (
              <td className="act">
                <Menu label={text.actionsFor(key.name)} items={props.menuOf(key)} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function EndedKeys({ keys }: { keys: readonly ConsoleKey[] }) {
  const text = useText().keys;
  const format = useFormat();
  const ended = ({ revokedAt, expiresAt }: ConsoleKey) =>
    revokedAt === null ? text.expiredAt(format.day(expiresAt ?? '')) : text.revokedAt(format.day(revokedAt));
  return (
    <section className="section" aria-labelledby="ended">
      <div className="section-head">
        <h2 id="ended">{text.endedTitle}</h2>
        <span className="beside">{text.endedHint}</span>
      </div>
      <table className="table" data-stack="lines" data-density="tight">
        <TableHead
          columns={[text.columns.name, text.columns.key, text.columns.ended, { number: text.columns.response }]}
        />
        <tbody>
          {keys.map((key) => (
            <tr data-muted key={key.id}>
              <th scope="row">{key.name}</th>
              <td data-wide className="mono nowrap">
                {displayKey(key)}
              </td>
              <td data-wide>{ended(key)}</td>
              <td className="number">
                <code>{key.revokedAt === null ? 'api_key_expired' : 'api_key_revoked'}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
