import type { QuoteResponse } from '@atelier/contract';
import { Link } from '@tanstack/react-router';
import { useAccount } from '../../api/session.ts';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import type { PriceState } from './price-follower.ts';

/** The price of the form. An older price is dimmed until the new one is there. */
export function QuoteLine(props: { quote: QuoteResponse | null; state: PriceState; isComplete: boolean }) {
  const text = useText().playground.price;
  const format = useFormat();
  const { quote, state, isComplete } = props;
  const old = state.kind === 'asking' ? state.last : state.kind === 'priced' ? state.quote : null;
  const isAsking = quote === null && (state.kind === 'asking' || old !== null);
  const shown = quote ?? old;
  if (shown === null) {
    return (
      <div className="quote" aria-busy={isAsking || undefined}>
        <span className="quiet">{isAsking ? text.asking : text.unknown}</span>
        <span />
      </div>
    );
  }
  const { coins, coinsPerOutput, outputs, availableCoins, lines = [] } = shown;
  const parts = lines
    .filter((line) => line.coins !== 0)
    .map(({ label, coins: each }) => `${format.number(each)} ${label}`);
  return (
    <div className="quote" aria-busy={isAsking || undefined} data-old={isAsking ? '' : undefined}>
      <output className="price">
        {format.number(coins)} <small>{text.coins(coins)}</small>
      </output>
      <span>
        {outputs === 1 ? text.one : text.outputs(format.number(outputs), format.number(coinsPerOutput))},{' '}
        {text.available(format.number(availableCoins))}
        <br />
        {isComplete ? parts.join(', ') : text.incomplete}
      </span>
    </div>
  );
}

/** Says that the coins do not suffice, and leads to the test account. */
export function CoinsNotice({ quote }: { quote: QuoteResponse | null }) {
  const text = useText().playground.price;
  const account = useAccount();
  if (quote === null || quote.coins <= quote.availableCoins) return null;
  return (
    <p className="small">
      {text.tooFew}{' '}
      {account.mode === 'live' && (
        <Link
          to="/accounts/$accountId/playground"
          params={{ accountId: account.membership.accountIds.test }}
          search={(search) => search}
          hash={true}
        >
          {text.tryTest}
        </Link>
      )}
    </p>
  );
}
