import type { Checkout } from '@atelier/contract/console';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useAccount } from '../../api/session.ts';
import { balanceQuery } from '../../app/balance-query.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { checkoutQuery, ledgerQuery } from './money-queries.ts';

/** Where the payment provider sends people back. It waits until the payment is reported. */
export function CheckoutPage() {
  const text = useText().checkout;
  const queries = useQueryClient();
  const { id: accountId } = useAccount();
  const { checkoutId = '' } = useParams({ strict: false });
  const query = useQuery(checkoutQuery(accountId, checkoutId));
  const isPaid = query.data?.status === 'paid';
  useEffect(() => {
    if (!isPaid) return;
    for (const { queryKey } of [balanceQuery(accountId), ledgerQuery(accountId)]) {
      void queries.invalidateQueries({ queryKey });
    }
  }, [isPaid, accountId, queries]);
  return (
    <>
      <PageHead title={text.title} />
      <div className="stack">
        <Loaded query={query}>{(checkout) => <State checkout={checkout} />}</Loaded>
        <div className="actions">
          <Link className="button" to="/accounts/$accountId/ledger" params={{ accountId }}>
            {text.toLedger}
          </Link>
        </div>
      </div>
    </>
  );
}

const ICONS = { open: 'clock', paid: 'succeeded', expired: 'warning' } as const;
const TONES = { open: 'accent', paid: 'success', expired: 'warning' } as const;

function State({ checkout: { status, coins, amount, currency } }: { checkout: Checkout }) {
  const text = useText().checkout;
  const format = useFormat();
  const { title, hint } = text.states[status];
  return (
    <div className="notice" data-tone={TONES[status]} role="status">
      <Icon name={ICONS[status]} />
      <div>
        <strong>{title(format.number(coins), format.price(amount, currency))}</strong>
        <p>{hint}</p>
      </div>
    </div>
  );
}
