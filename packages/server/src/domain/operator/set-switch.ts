import type { Tx } from '../../platform/db.ts';
import { putSetting } from './operator.store.ts';

export type Switch =
  | { readonly kind: 'maintenance'; readonly message: string | null }
  | { readonly kind: 'channel'; readonly channel: string; readonly closed: boolean }
  | { readonly kind: 'model'; readonly modelId: string; readonly closed: boolean };

export async function setSwitch(tx: Tx, change: Switch, actor: string): Promise<void> {
  switch (change.kind) {
    case 'maintenance':
      return putSetting(tx, { name: 'maintenance', value: change.message, actor });
    case 'channel':
      return putSetting(tx, { name: `channel.closed.${change.channel}`, value: change.closed ? true : null, actor });
    case 'model':
      return putSetting(tx, { name: `model.closed.${change.modelId}`, value: change.closed ? true : null, actor });
  }
}
