import type { Effect, Model } from '@atelier/contract';
import type { RouteError } from '../../providers/provider.ts';
import type { PriceRule } from './price-rule.ts';

/** One way to have a model run. The settings are the provider's own; it checks them when it reads them. */
export interface Route {
  readonly provider: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Whether expand_* are pixels, or percent of the picture's own width and height. */
export const EXPAND_UNITS = ['pixels', 'percent'] as const;
export type ExpandUnit = (typeof EXPAND_UNITS)[number];

/** What clients see of a model, but for whether it is open: that changes while the files stay. */
export type ModelEntry = Omit<Model, 'availability'>;

/** Judges a route by the schema of its provider. */
export type RouteCheck = (route: Route, model: Pick<Model, 'params'>) => readonly RouteError[];

export interface CatalogModel {
  readonly entry: ModelEntry;
  /** Uses a person's likeness or voice: a submit needs `consent: true`. */
  readonly consent: boolean;
  readonly deadlineSeconds: number;
  readonly price: PriceRule;
  /** How expand_* are counted; null where the model has none. */
  readonly expandUnit: ExpandUnit | null;
  /** In the order in which they are tried. */
  readonly routes: readonly Route[];
  readonly closed: boolean;
}

export interface CatalogEffect {
  readonly entry: Effect;
  readonly surchargeCoins: number;
  /** The prompt of the effect; null where the model needs none. */
  readonly prompt: string | null;
  /** What the effect sets for the provider, over the route's settings. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Never changes once loaded; an edited file gives a new catalog. Both maps are in display order. */
export interface Catalog {
  /** Names the pricebook: equal files give the same version. */
  readonly version: string;
  readonly models: ReadonlyMap<string, CatalogModel>;
  readonly effects: ReadonlyMap<string, CatalogEffect>;
}
