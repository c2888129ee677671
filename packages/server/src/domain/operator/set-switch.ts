import type { Tx } from '../../platform/db.ts';
import { putSetting } from './operator.store.ts';

export type Switch =
  | { readonly kind: 'maintenance'; readonly message: string | null }
  | { readonly kind: 'read-only'; readonly message: string | null }
  | { readonly kind: 'channel'; readonly channel: string; readonly closed: boolean }
  | { readonly kind: 'model'; readonly modelId: string; readonly closed: boolean }
  /** Replaces the price of the catalog file; null returns to it. */
  | { readonly kind: 'price'; readonly modelId: string; readonly price: object | null }
  /** What an output costs the operator, in coins by target. */
  | { readonly kind: 'costs'; readonly modelId: string; readonly costs: Readonly<Record<string, number>> };

export async function setSwitch(tx: Tx, change: Switch, actor: string, reason?: string): Promise<void> {
  const put = (name: string, value: unknown) => putSetting(tx, { name, value, actor, reason });
  switch (change.kind) {
    case 'maintenance':
      return put('maintenance', change.message);
    case 'read-only':
      return put('read-only', change.message);
    case 'channel':
      return put(`channel.closed.${change.channel}`, change.closed ? true : null);
    case 'model':
      return put(`model.closed.${change.modelId}`, change.closed ? true : null);
    case 'price':
      return put(`model.price.${change.modelId}`, change.price);
    case 'costs':
      return put(`model.costs.${change.modelId}`, Object.keys(change.costs).length === 0 ? null : change.costs);
  }
}
