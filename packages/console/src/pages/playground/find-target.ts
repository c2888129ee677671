import type { Effect, Model, Workspace } from '@atelier/contract';
import type { Text } from '../../text/en.ts';
import { nameOf } from '../../text/name-of.ts';
import { FIRST } from '../quickstart/snippets.ts';
import type { Target } from './form-state.ts';
import type { PlaygroundSearch } from './share-link.ts';

export interface Found {
  readonly target: Target;
  /** What the address names, if there is no such thing. */
  readonly missing: string | null;
}

/** A model as the account can use it: the simulator of test accounts serves every model that is not closed by the operator. */
export function asUsable(model: Model, mode: 'live' | 'test'): Model {
  const isSimulated = mode === 'test' && model.availability.reason === 'no_worker';
  return isSimulated ? { ...model, availability: { state: 'open', reason: null } } : model;
}

/** What the address names; else the model of the first request, else any. Null without models. */
export function findTarget(options: {
  models: readonly Model[];
  effects: readonly Effect[];
  search: PlaygroundSearch;
}): Found | null {
  const { models, effects, search } = options;
  const modelOf = (id: string | undefined) => models.find((model) => model.id === id);
  const effect = effects.find(({ id }) => id === search.effect);
  const ofEffect = modelOf(effect?.modelId);
  if (effect !== undefined && ofEffect !== undefined) return { target: { model: ofEffect, effect }, missing: null };
  const named = search.effect === undefined ? modelOf(search.model) : undefined;
  const model = named ?? modelOf(FIRST.modelId) ?? models[0];
  if (model === undefined) return null;
  const missing = named === undefined ? (search.effect ?? search.model ?? null) : null;
  return { target: { model, effect: null }, missing };
}

export const nameOfTarget = (text: Text, { model, effect }: Target): string =>
  effect === null ? model.displayName : nameOf(text, effect.nameKey);

/** Descriptions mark the names of params as code, which a card does not show. */
export const describeModel = ({ description, taskType }: Model): string => description?.replaceAll('`', '') ?? taskType;

export interface CardGroup {
  readonly workspace: Workspace;
  readonly models: readonly Model[];
  readonly effects: readonly Effect[];
}

/** The cards by workspace, in the order of the catalog. A search looks at names, descriptions and ids. */
export function groupCards(options: {
  models: readonly Model[];
  effects: readonly Effect[];
  workspaces: readonly Workspace[];
  find: string;
  text: Text;
}): CardGroup[] {
  const { models, effects, workspaces, text } = options;
  const wanted = options.find.trim().toLowerCase();
  const has = (...words: readonly (string | null)[]) =>
    wanted === '' || words.some((word) => word?.toLowerCase().includes(wanted));
  return workspaces
    .map((workspace) => ({
      workspace,
      models: models.filter(
        (model) => model.workspace === workspace && has(model.displayName, model.description, model.id, model.taskType),
      ),
      effects: effects.filter(({ kind, nameKey, id }) => kind === workspace && has(nameOf(text, nameKey), id)),
    }))
    .filter((group) => group.models.length > 0 || group.effects.length > 0);
}
