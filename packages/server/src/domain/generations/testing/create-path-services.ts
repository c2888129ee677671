import { randomBytes } from 'node:crypto';
import type { Model } from '@atelier/contract';
import { createKeyRing } from '../../../platform/crypto.ts';
import type { Db } from '../../../platform/db.ts';
import type { Caller } from '../../accounts/caller.ts';
import type { Catalog, CatalogEffect, CatalogModel } from '../../catalog/catalog.ts';
import { sampleModel, sampleParam } from '../../catalog/testing/sample-model.ts';
import { createSettler } from '../run/create-settler.ts';
import type { PathAccount } from './create-money-path.ts';

const effect = (id: string): [string, CatalogEffect] => [
  id,
  {
    entry: {
      id,
      kind: 'image',
      category: 'style',
      nameKey: id,
      thumbnail: null,
      input: { type: 'images', min: 1, max: 1 },
      modelId: 'painter',
    },
    surchargeCoins: 0,
    settings: {},
    prompt: null,
  },
];

const media = sampleParam('images', { kind: 'media_list', accept: 'image', minItems: 1, maxItems: 3 });
const common = [
  sampleParam('prompt', { kind: 'text', maxLength: 1_000 }),
  sampleParam('num_outputs', { kind: 'range', min: 1, max: 4, step: 1 }),
];

/** Models at one price, so that quotes differ only by their binding. */
export function sampleCatalog(perOutput: number): Catalog {
  const model = (id: string, consent?: Model['consent']): [string, CatalogModel] => [
    id,
    sampleModel({
      params: [...common, media],
      price: { perOutput },
      entry: { id, displayName: id, ...(consent && { consent }) },
    }),
  ];
  return {
    version: `price-${perOutput}`,
    models: new Map([
      model('canvas'),
      model('painter'),
      model('portrait', { when: null }),
      model('morph', { when: ['images'] }),
    ]),
    effects: new Map([effect('sketch'), effect('glow')]),
  };
}

/** The services of the money path, with a price, a clock and switches that a test can change. */
export function createPathServices(db: Db) {
  const state = {
    perOutput: 7,
    offsetMs: 0,
    closedModels: new Set<string>(),
    closedChannels: new Set<string>(),
    maintenance: null as string | null,
    readOnly: null as string | null,
    woken: [] as string[],
  };
  return {
    state,
    db,
    keys: createKeyRing([randomBytes(32)]),
    clock: { now: () => new Date(Date.now() + state.offsetMs) },
    catalog: () => sampleCatalog(state.perOutput),
    switches: {
      current: () => ({
        maintenance: state.maintenance ?? state.readOnly,
        readOnly: state.readOnly,
        closedChannels: state.closedChannels,
        closedModels: state.closedModels,
      }),
      refresh: async () => {},
      close: () => {},
    },
    offers: () => new Set<string>(),
    listsEveryModel: true,
    cell: 'c1',
    publicUrl: 'http://127.0.0.1:8080',
    cdnUrl: 'http://127.0.0.1:8081',
    settler: createSettler({ db }),
    wake: (queues: readonly string[]) => void state.woken.push(...queues),
  };
}

export function callerOf(account: PathAccount): Caller {
  return {
    accountId: account.accountId,
    mode: 'test',
    locked: false,
    keyId: account.keyId,
    scopes: ['generate', 'read', 'uploads', 'account'],
    channel: 'api',
    keyRateLimit: 120,
    accountRateLimit: 300,
    requestCap: null,
  };
}
