import { describe, expect, test } from 'vitest';
import { sampleModel } from '../catalog/testing/sample-model.ts';
import { chooseRoute } from './choose-route.ts';

const open = { maintenance: null, closedChannels: new Set<string>(), closedModels: new Set<string>() };
const model = {
  ...sampleModel({}),
  routes: [
    { provider: 'comfyui', settings: { workflow: 'x' } },
    { provider: 'local', settings: { engine: 'y' } },
  ],
};
const choose = (options: Partial<Parameters<typeof chooseRoute>[0]>) =>
  chooseRoute({ model, mode: 'live', switches: open, liveProviders: new Set(['comfyui', 'local']), ...options });

describe('a test account', () => {
  test('reaches the simulator, whatever the model could do', () => {
    expect(choose({ mode: 'test' })).toEqual({ provider: 'simulator', pool: 'run-simulator', settings: {} });
    expect(choose({ mode: 'test', liveProviders: new Set() })?.provider).toBe('simulator');
    expect(choose({ mode: 'test', model: { ...model, routes: [] } })?.provider).toBe('simulator');
  });
});

describe('a live account', () => {
  test("reaches the model's first route that is there", () => {
    expect(choose({})).toEqual({ provider: 'comfyui', pool: 'run-remote', settings: { workflow: 'x' } });
    expect(choose({ liveProviders: new Set(['local']) })).toEqual({
      provider: 'local',
      pool: 'run-local',
      settings: { engine: 'y' },
    });
  });

  test('never reaches the simulator', () => {
    expect(choose({ liveProviders: new Set(['simulator']) })).toBeNull();
    expect(choose({ model: { ...model, routes: [] } })).toBeNull();
  });
});

describe.each(['live', 'test'] as const)('a closed model for a %s account', (mode) => {
  test('goes nowhere', () => {
    expect(choose({ mode, model: { ...model, closed: true } })).toBeNull();
    expect(choose({ mode, switches: { ...open, closedModels: new Set([model.entry.id]) } })).toBeNull();
    expect(choose({ mode, switches: { ...open, closedModels: new Set(['other']) } })).not.toBeNull();
  });
});
