import { describe, expect, it } from 'vitest';
import { EngineRefusal } from '../engine.ts';
import { planLandscape } from './plan-landscape.ts';

describe('planLandscape', () => {
  it('reads the scene, the time of day and the weather', () => {
    const plan = planLandscape('Snowy mountains above a misty lake at sunset');
    expect(plan).toMatchObject({
      ground: 'mountains',
      hour: 'sunset',
      water: true,
      mist: true,
      snow: true,
      aurora: false,
    });
    expect(planLandscape('a quiet forest')).toMatchObject({ ground: 'forest', hour: 'day', water: false });
    expect(planLandscape('the ocean by night')).toMatchObject({ ground: 'sea', hour: 'night', water: true });
    expect(planLandscape('aurora over hills')).toMatchObject({ ground: 'hills', hour: 'night', aurora: true });
  });

  it('refuses a prompt without a landscape and lists the supported words', () => {
    for (const prompt of ['', 'a beautiful sunset', 'corporate synergy', '山']) {
      expect(() => planLandscape(prompt)).toThrow(EngineRefusal);
      expect(() => planLandscape(prompt)).toThrow(/mountains, hills, desert, forest, sea, lake/);
    }
  });

  it('refuses a landscape with an unsupported object', () => {
    expect(() => planLandscape('a castle in the mountains')).toThrow(/"castle"/);
  });
});
