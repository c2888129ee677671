import { useCallback, useEffect, useRef, useState } from 'react';
import { request } from '../../api/request.ts';
import { createPriceFollower, type PriceFollower, type PriceRequest, type PriceState } from './price-follower.ts';

/** A pause in typing. */
const DELAY_MS = 350;

/** The price of the form, asked as a draft: it needs no complete form. */
export function usePrice(options: { accountId: string; wanted: PriceRequest; isAsked: boolean }): {
  state: PriceState;
  refresh(): void;
} {
  const { accountId, wanted, isAsked } = options;
  const [state, setState] = useState<PriceState>({ kind: 'none' });
  const follower = useRef<PriceFollower>(undefined);
  useEffect(() => {
    const made = createPriceFollower({
      ask: (asked) => request('POST /v1/quotes', { params: { accountId }, body: { ...asked, draft: true } }),
      onState: setState,
      delayMs: DELAY_MS,
    });
    follower.current = made;
    return () => made.close();
  }, [accountId]);
  useEffect(() => {
    if (isAsked) follower.current?.follow(wanted);
  }, [isAsked, wanted]);
  return { state, refresh: useCallback(() => follower.current?.refresh(), []) };
}
