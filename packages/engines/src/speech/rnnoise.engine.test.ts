import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSound } from '../audio/sound-files.ts';
import { runEngine } from '../testing/run-engine.ts';
import { SAMPLE_PATH } from './testing/sample-speech.ts';

const RATE = 48_000;
const MIN_NOISE_REMOVED_DB = 15;
const MIN_LIKENESS = 0.9;
const TIMEOUT_MS = 60_000;

describe('rnnoise', () => {
  const dir = mkdtempSync(join(tmpdir(), 'atelier-rnnoise-'));
  const noisyPath = join(dir, 'noisy.wav');
  afterAll(() => rmSync(dir, { recursive: true }));
  beforeAll(() => {
    // One second of noise before and after the words.
    const mix =
      '[0:a]aresample=48000,aformat=channel_layouts=mono,adelay=1000,apad=pad_dur=1[v];[v][1:a]amix=inputs=2:duration=first:normalize=0';
    const noise = 'anoisesrc=color=pink:amplitude=0.3:seed=7:sample_rate=48000';
    execFileSync('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-i',
      SAMPLE_PATH,
      '-f',
      'lavfi',
      '-i',
      noise,
      '-filter_complex',
      mix,
      noisyPath,
    ]);
  });

  test('removes the noise and keeps the voice, without delay', { timeout: TIMEOUT_MS }, async () => {
    const [output] = await runEngine('rnnoise', { taskType: 'audio.isolate', inputs: { audio: [noisyPath] }, dir });
    expect(output!.stem).toBe('vocals');
    const read = (path: string) => readSound({ path, rate: RATE, ffmpegPath: 'ffmpeg', dir });
    const [noisy, voice, clean] = [await read(noisyPath), await read(output!.path), await read(SAMPLE_PATH)];
    expect(voice.length).toBe(noisy.length);
    const still = (samples: Float32Array) => level(samples.subarray(RATE * 0.3, RATE * 0.9));
    const removedDb = 20 * Math.log10(still(noisy) / still(voice));
    const spoken = voice.subarray(RATE, RATE + clean.length);
    const likeness = correlate(spoken, clean.subarray(0, spoken.length));
    const before = correlate(noisy.subarray(RATE, RATE + clean.length), clean);
    console.info(
      `rnnoise: ${removedDb.toFixed(1)} dB less noise, likeness ${before.toFixed(3)} before, ${likeness.toFixed(3)} after`,
    );
    expect(removedDb).toBeGreaterThan(MIN_NOISE_REMOVED_DB);
    expect(likeness).toBeGreaterThan(MIN_LIKENESS);
  });
});

function level(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, value) => sum + value * value, 0) / samples.length) + 1e-6;
}

function correlate(a: Float32Array, b: Float32Array): number {
  const product = a.reduce((sum, value, at) => sum + value * b[at]!, 0);
  return product / (a.length * level(a) * level(b));
}
