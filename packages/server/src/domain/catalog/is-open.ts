import type { CatalogModel } from './catalog.ts';

/** Whether a model takes requests: not closed by its file, by the operator's switch, or by its sunset. */
export function isOpen(model: CatalogModel, options: { closedModelIds: ReadonlySet<string>; at?: Date }): boolean {
  const { closedModelIds, at } = options;
  if (model.closed || closedModelIds.has(model.entry.id)) return false;
  const sunsetAt = model.entry.deprecation?.sunsetAt;
  return at === undefined || sunsetAt === undefined || at.getTime() < Date.parse(sunsetAt);
}
