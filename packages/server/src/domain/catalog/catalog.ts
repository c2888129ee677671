import type { Effect, Model } from '@atelier/contract';
import type { RouteError } from '../../providers/provider.ts';
import type { PriceRule } from './price-rule.ts';

/** One way to run a model. The settings are specific to the provider, which checks them when it reads them. */
export interface Route {
  readonly provider: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Whether expand_* are pixels, or percent of the width and height of the image. */
export const EXPAND_UNITS = ['pixels', 'percent'] as const;
export type ExpandUnit = (typeof EXPAND_UNITS)[number];

/** A model as clients see it, without its availability, which changes independently of the files. */
export type ModelEntry = Omit<Model, 'availability'>;

/** Checks a route against the schema of its provider. */
export type RouteCheck = (route: Route, model: Pick<Model, 'params'>) => readonly RouteError[];

export interface CatalogModel {
  readonly entry: ModelEntry;
  /** Uses a person's likeness or voice: a submit needs `consent: true`. */
  readonly consent: boolean;
  readonly deadlineSeconds: number;
  readonly price: PriceRule;
  /** The price of the file, if the operator replaced it. */
  readonly filePrice?: PriceRule;
  /** The unit of expand_*; null if the model has none. */
  readonly expandUnit: ExpandUnit | null;
  /** In the order in which they are tried. */
  readonly routes: readonly Route[];
  readonly closed: boolean;
}

export interface CatalogEffect {
  readonly entry: Effect;
  readonly surchargeCoins: number;
  /** The prompt of the effect; null if the model needs none. */
  readonly prompt: string | null;
  /** Provider settings of the effect; they override those of the route. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Immutable once loaded; an edited file gives a new catalog. Both maps are in display order. */
export interface Catalog {
  /** Identifies the pricebook: equal files give the same version. */
  readonly version: string;
  readonly models: ReadonlyMap<string, CatalogModel>;
  readonly effects: ReadonlyMap<string, CatalogEffect>;
}
