import type { Effect, Model, ParamValues } from '@atelier/contract';
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

/** The uses of a model in the OpenAI-compatible API. */
export const OPENAI_USES = [
  'generations',
  'edits',
  'masked-edits',
  'variations',
  'speech',
  'transcriptions',
  'videos',
] as const;
export type OpenaiUse = (typeof OPENAI_USES)[number];

/** A model name of OpenAI and the model that answers. A row of `openai.yaml`. */
export interface OpenaiAlias {
  readonly name: string;
  readonly uses: readonly OpenaiUse[];
  readonly modelId: string;
  /** For requests that name no model. */
  readonly default?: boolean;
  /** How images are returned if the request does not say. */
  readonly responseFormat?: 'url' | 'b64_json';
  /** Fields that the model cannot follow and that may be dropped. */
  readonly ignore?: readonly string[];
  /** For a field and its value, the params that express it. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, ParamValues>>>>;
}

/** Immutable once loaded; an edited file gives a new catalog. Both maps are in display order. */
export interface Catalog {
  /** Identifies the pricebook: equal files give the same version. */
  readonly version: string;
  readonly models: ReadonlyMap<string, CatalogModel>;
  readonly effects: ReadonlyMap<string, CatalogEffect>;
  /** Model names of OpenAI and the models that answer. */
  readonly aliases?: readonly OpenaiAlias[];
}
