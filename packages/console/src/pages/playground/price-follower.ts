import type { ParamValues, QuoteResponse } from '@atelier/contract';

export interface PriceRequest {
  readonly modelId: string;
  readonly params: ParamValues;
  readonly effectId?: string;
}

export type PriceState =
  | { readonly kind: 'none' }
  /** `last` is the price of an earlier form: a page may show it as out of date. */
  | { readonly kind: 'asking'; readonly request: PriceRequest; readonly last: QuoteResponse | null }
  | { readonly kind: 'priced'; readonly request: PriceRequest; readonly quote: QuoteResponse }
  | { readonly kind: 'refused'; readonly request: PriceRequest; readonly error: unknown };

export interface PriceFollower {
  /** The form has changed. The same form again asks nothing. */
  follow(request: PriceRequest): void;
  /** Asks again for the same form, without delay. */
  refresh(): void;
  close(): void;
}

/**
 * Keeps the price of a form that changes while answers are on their way. An answer counts only for the form it was asked
 * for: a late one never replaces the price of a newer form. The first form is priced at once, later ones after a pause.
 */
export function createPriceFollower(options: {
  ask(request: PriceRequest): Promise<QuoteResponse>;
  onState(state: PriceState): void;
  delayMs: number;
}): PriceFollower {
  let current: PriceRequest | null = null;
  let last: QuoteResponse | null = null;
  let version = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const askAfter = (request: PriceRequest, delayMs: number) => {
    version += 1;
    const asked = version;
    clearTimeout(timer);
    options.onState({ kind: 'asking', request, last });
    const settle = (state: PriceState) => {
      if (asked === version) options.onState(state);
    };
    timer = setTimeout(() => {
      options.ask(request).then(
        (quote) => {
          if (asked === version) last = quote;
          settle({ kind: 'priced', request, quote });
        },
        (error: unknown) => settle({ kind: 'refused', request, error }),
      );
    }, delayMs);
  };

  return {
    follow(request) {
      if (current !== null && isSameRequest(current, request)) return;
      const delayMs = current === null ? 0 : options.delayMs;
      current = request;
      askAfter(request, delayMs);
    },
    refresh() {
      if (current !== null) askAfter(current, 0);
    },
    close() {
      version += 1;
      clearTimeout(timer);
    },
  };
}

/** Names in the same order come from the same form, so the text decides. */
export const isSameRequest = (a: PriceRequest, b: PriceRequest): boolean => JSON.stringify(a) === JSON.stringify(b);

/** The price of exactly this form, or null while it is not known. */
export function priceOf(state: PriceState, request: PriceRequest): QuoteResponse | null {
  return state.kind === 'priced' && isSameRequest(state.request, request) ? state.quote : null;
}
