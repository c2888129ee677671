import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { runEngine } from '../testing/run-engine.ts';
import { styleNames } from './styles.ts';

const SECONDS = 12;
const MAX_PEAK = 0.95;
const MIN_LOUDNESS = 0.05;

describe('midi-composer: audio.music', () => {
  it.each(styleNames)('plays %s: audible, without clipping, in the requested length', async (style) => {
    const startedAt = performance.now();
    const params = { prompt: 'music', style, duration: SECONDS, format: 'wav', seed: 6 };
    const [output] = await runEngine('midi-composer', { taskType: 'audio.music', params });
    const samples = readSamples(await readFile(output!.path));
    const peak = samples.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    const loudness = Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length);
    console.info(
      `midi-composer: ${style}: ${Math.round(performance.now() - startedAt)} ms, peak ${peak.toFixed(2)}, loudness ${loudness.toFixed(2)}`,
    );
    expect(samples.length / 2 / 44_100).toBeCloseTo(SECONDS, 1);
    expect(peak).toBeLessThan(MAX_PEAK);
    expect(loudness).toBeGreaterThan(MIN_LOUDNESS);
    const end = samples.slice(-4_410);
    expect(Math.max(...end.map(Math.abs))).toBeLessThan(0.1);
  });
});

function readSamples(wav: Buffer): Float32Array {
  const at = wav.indexOf('data', 0, 'latin1') + 8;
  return Float32Array.from(
    { length: Math.floor((wav.length - at) / 2) },
    (_, sample) => wav.readInt16LE(at + sample * 2) / 32_768,
  );
}
