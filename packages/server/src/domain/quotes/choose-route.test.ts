import { describe, expect, test } from 'vitest';
import { sampleModel } from '../catalog/testing/sample-model.ts';
import { chooseRoute } from './choose-route.ts';

const open = { maintenance: null, readOnly: null, closedChannels: new Set<string>(), closedModels: new Set<string>() };
const model = {
  ...sampleModel({}),
  routes: [
    { provider: 'comfyui', settings: { backend: 'studio' } },
    { provider: 'local', settings: { engine: 'y' } },
  ],
};
const choose = (options: Partial<Parameters<typeof chooseRoute>[0]>) =>
  chooseRoute({ model, mode: 'live', switches: open, offers: new Set(['comfyui/studio', 'local/y']), ...options });

describe('a test account', () => {
  test('uses the simulator, whatever routes the model has', () => {
    expect(choose({ mode: 'test' })).toMatchObject({ provider: 'simulator', pool: 'run-simulator', settings: {} });
    expect(choose({ mode: 'test', offers: new Set() })?.provider).toBe('simulator');
    expect(choose({ mode: 'test', model: { ...model, routes: [] } })?.provider).toBe('simulator');
  });
});

describe('a live account', () => {
  test('uses the first route of the model that is offered', () => {
    expect(choose({})).toMatchObject({ provider: 'comfyui', pool: 'run-remote', settings: { backend: 'studio' } });
    expect(choose({ offers: new Set(['local/y', 'local/z']) })).toEqual({
      provider: 'local',
      target: 'local/y',
      pool: 'run-local',
      settings: { engine: 'y' },
    });
  });

  test('never uses the simulator', () => {
    const routes = [{ provider: 'simulator', settings: {} }];
    expect(choose({ model: { ...model, routes }, offers: new Set(['simulator', 'simulator/']) })).toBeNull();
    expect(choose({ model: { ...model, routes: [] } })).toBeNull();
  });
});

describe.each(['live', 'test'] as const)('a closed model for a %s account', (mode) => {
  test('has no route', () => {
    expect(choose({ mode, model: { ...model, closed: true } })).toBeNull();
    expect(choose({ mode, switches: { ...open, closedModels: new Set([model.entry.id]) } })).toBeNull();
    expect(choose({ mode, switches: { ...open, closedModels: new Set(['other']) } })).not.toBeNull();
  });

  test('is closed for new requests after its sunset', () => {
    const deprecation = { deprecatedAt: '2026-01-01T00:00:00Z', sunsetAt: '2026-02-01T00:00:00Z', replacement: null };
    const old = { ...model, entry: { ...model.entry, deprecation } };
    expect(choose({ mode, model: old, at: new Date('2026-01-31T23:59:59.999Z') })).not.toBeNull();
    expect(choose({ mode, model: old, at: new Date('2026-02-01T00:00:00Z') })).toBeNull();
    expect(choose({ mode, model: old })).not.toBeNull();
  });
});
