import { readFile } from 'node:fs/promises';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { runEngine } from '../testing/run-engine.ts';

const SCENES = [
  'mountains at sunset',
  'lake and mountains at night with aurora',
  'desert by day',
  'misty forest at dawn',
  'snowy hills',
  'sea at dusk',
];
/** Less contrast than this would be an empty image. */
const MIN_DEVIATION = 20;

describe('landscape-painter: image.generate', () => {
  it.each(SCENES)('paints %s', async (prompt) => {
    const startedAt = performance.now();
    const [output] = await runEngine('landscape-painter', { taskType: 'image.generate', params: { prompt, seed: 4 } });
    const { channels, entropy } = await sharp(output!.path).stats();
    const deviation = Math.max(...channels.map(({ stdev }) => stdev));
    console.info(
      `landscape-painter: ${prompt}: ${Math.round(performance.now() - startedAt)} ms, deviation ${deviation.toFixed(0)}, entropy ${entropy.toFixed(1)}`,
    );
    const { width, height } = await sharp(output!.path).metadata();
    expect([width, height]).toEqual([1_280, 720]);
    expect(deviation).toBeGreaterThan(MIN_DEVIATION);
    expect(entropy).toBeGreaterThan(5);
  });

  it('returns the same image for the same seed, and a different one for each output', async () => {
    const params = { prompt: 'sea', seed: 11, aspect_ratio: '3:4' };
    const first = await runEngine('landscape-painter', { taskType: 'image.generate', params, outputs: 2 });
    const again = await runEngine('landscape-painter', { taskType: 'image.generate', params });
    expect(first).toHaveLength(2);
    const bytes = await Promise.all([first[0]!, first[1]!, again[0]!].map(({ path }) => readFile(path)));
    expect(bytes[0]!.equals(bytes[2]!)).toBe(true);
    expect(bytes[0]!.equals(bytes[1]!)).toBe(false);
    const { width, height } = await sharp(first[0]!.path).metadata();
    expect([width, height]).toEqual([960, 1_280]);
  });
});
