import type { CoinPackages } from '@atelier/contract/console';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { request } from '../../api/request.ts';
import { useAccount } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { ProblemNotice } from '../../parts/problem-notice.tsx';
import { Coins } from '../../parts/status.tsx';
import { useFormat } from '../../parts/use-format.ts';
import { useText } from '../../text/use-text.ts';
import { packagesQuery } from './money-queries.ts';

/** The button that begins a purchase, for those who may pay. A test account has its own coins. */
export function BuyCoins() {
  const text = useText().checkout;
  const { id: accountId, mode, canPay } = useAccount();
  const [isOpen, setOpen] = useState(false);
  const offer = useQuery(packagesQuery(accountId)).data;
  if (mode === 'test' || !canPay || offer === undefined || offer.packages.length === 0) return null;
  return (
    <>
      <button className="button" data-kind="primary" type="button" onClick={() => setOpen(true)}>
        <Icon name="plus" />
        {text.buy}
      </button>
      {isOpen && <PackageDialog offer={offer} onClose={() => setOpen(false)} />}
    </>
  );
}

/** How to get coins, if they are not sold here or not to this person. */
export function WhereToGetCoins() {
  const text = useText().checkout;
  const { id: accountId, mode, canPay } = useAccount();
  const offer = useQuery(packagesQuery(accountId)).data;
  if (mode === 'test' || offer === undefined) return null;
  if (offer.packages.length > 0 && canPay) return null;
  return (
    <p className="quiet">
      {offer.packages.length > 0 ? text.payersOnly : offer.contact === null ? text.ask : text.askContact(offer.contact)}
    </p>
  );
}

function PackageDialog({ offer, onClose }: { offer: CoinPackages; onClose(): void }) {
  const text = useText().checkout;
  const format = useFormat();
  const { id: accountId } = useAccount();
  const [packageId, setPackageId] = useState(offer.packages[0]?.id ?? '');
  const pay = useMutation({
    mutationFn: () =>
      request('POST /api/accounts/{accountId}/checkouts', { params: { accountId }, body: { packageId } }),
    onSuccess: ({ url }) => window.location.assign(url),
  });
  return (
    <Dialog
      title={text.buy}
      description={text.hint}
      action={text.pay}
      // The button stays off while the browser leaves for the page of the provider.
      busy={pay.isPending || pay.isSuccess}
      onSubmit={() => pay.mutate()}
      onClose={onClose}
    >
      <fieldset className="packages">
        <legend className="hidden">{text.packages}</legend>
        {offer.packages.map(({ id, coins, amount }) => (
          <label key={id}>
            <input
              type="radio"
              name="package"
              value={id}
              checked={id === packageId}
              onChange={() => setPackageId(id)}
            />
            <Coins>{text.coins(format.number(coins))}</Coins>
            <span className="price">{format.price(amount, offer.currency)}</span>
          </label>
        ))}
      </fieldset>
      {pay.error !== null && <ProblemNotice error={pay.error} />}
    </Dialog>
  );
}
