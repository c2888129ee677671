import { describe, expect, it } from 'vitest';
import { EngineRefusal } from '../engine.ts';
import { composeSong } from './compose-song.ts';
import { planForm, RING_SECONDS } from './plan-form.ts';
import { chooseStyle, type Style, styleNames, styles } from './styles.ts';
import { writeMidi } from './write-midi.ts';

const LENGTHS = [10, 23, 30, 60];

describe('chooseStyle', () => {
  it('chooses by the words of the prompt, or by name', () => {
    expect(chooseStyle('calm music for a spa', undefined)).toBe('ambient');
    expect(chooseStyle('Epic trailer, battle', 'auto')).toBe('cinematic');
    expect(chooseStyle('an 8-bit game tune', undefined)).toBe('chiptune');
    expect(chooseStyle('lo-fi hip hop', undefined)).toBe('lofi');
    expect(chooseStyle('anything at all', 'jazz')).toBe('jazz');
  });

  it('refuses vocals and unknown styles', () => {
    expect(() => chooseStyle('a song about love with vocals', 'pop')).toThrow(/instrumental music only/);
    expect(() => chooseStyle('quarterly figures', undefined)).toThrow(EngineRefusal);
    expect(() => chooseStyle('quarterly figures', undefined)).toThrow(/ambient, pop, cinematic/);
  });
});

describe.each(styleNames)('composeSong: %s', (name) => {
  const style: Style = styles[name];

  it.each(LENGTHS)('fills %d seconds at a suitable tempo', (seconds) => {
    const { beatsPerMinute, bars } = planForm(style, { seconds, progression: 0 });
    const lastBeat = (bars.length - 1) * 4 + 1;
    expect((lastBeat * 60) / beatsPerMinute).toBeCloseTo(seconds - RING_SECONDS, 5);
    expect(beatsPerMinute).toBeGreaterThan(style.beatsPerMinute[0] * 0.8);
    expect(beatsPerMinute).toBeLessThan(style.beatsPerMinute[1] * 1.25);
  });

  it('stays in its scale and ends on the tonic', () => {
    const { voices } = composeSong(name, { seconds: 40, seed: 12 });
    const [melody] = voices;
    const last = melody!.notes.at(-1)!.pitch;
    for (const { pitch } of melody!.notes) expect(style.scale).toContain((((pitch - last) % 12) + 12) % 12);
    const bass = voices[2]!.notes.at(-1)!.pitch;
    expect((last - bass) % 12).toBe(0);
  });

  it('repeats its motif', () => {
    const { voices } = composeSong(name, { seconds: 60, seed: 12 });
    const bars = new Map<number, string>();
    for (const { start } of voices[0]!.notes)
      bars.set(Math.floor(start / 4), `${bars.get(Math.floor(start / 4)) ?? ''} ${(start % 4).toFixed(2)}`);
    const rhythms = [...bars.values()];
    expect(new Set(rhythms).size).toBeLessThan(rhythms.length * 0.7);
  });

  it('depends only on the seed', () => {
    const make = (seed: number) => Buffer.from(writeMidi(composeSong(name, { seconds: 20, seed })));
    expect(make(3).equals(make(3))).toBe(true);
    expect(make(3).equals(make(4))).toBe(false);
  });
});
