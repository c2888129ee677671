import { expect, test } from 'vitest';
import { createPeakMeter } from './peak-meter.ts';

const sound = (samples: number, loudness: (place: number) => number) =>
  Buffer.from(Int16Array.from({ length: samples }, (_, place) => Math.round(loudness(place / samples) * 32767)).buffer);

test('peaks follow the sound, whatever its length and chunk sizes', () => {
  for (const samples of [1000, 5000, 300_000]) {
    const meter = createPeakMeter();
    const bytes = sound(samples, (place) => (place < 0.5 ? 0.25 : -0.75));
    for (let at = 0; at < bytes.length; at += 777) meter.add(bytes.subarray(at, at + 777));
    const peaks = meter.peaks(100);
    expect(meter.samples()).toBe(samples);
    expect(peaks).toHaveLength(100);
    expect(peaks.slice(0, 48).every((peak) => peak === 0.25)).toBe(true);
    expect(peaks.slice(52).every((peak) => peak === 0.75)).toBe(true);
  }
});

test('a sound shorter than its peaks still fills them', () => {
  const meter = createPeakMeter();
  meter.add(sound(3, () => 0.5));
  expect(meter.peaks(10)).toEqual(Array.from({ length: 10 }, () => 0.5));
});
