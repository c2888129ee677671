import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSound } from '../audio/sound-files.ts';
import { runEngine } from '../testing/run-engine.ts';
import { SAMPLE_PATH } from './testing/sample-speech.ts';
import { type VoiceEffect, voiceEffects } from './voice-fx.ts';

const RATE = 16_000;
const TONE_HZ = 200;
const CAVE_TAIL_SECONDS = 3;

describe('voice-fx', () => {
  const dir = mkdtempSync(join(tmpdir(), 'atelier-voice-fx-'));
  const tonePath = join(dir, 'tone.wav');
  afterAll(() => rmSync(dir, { recursive: true }));
  beforeAll(() => {
    const tone = `sine=frequency=${TONE_HZ}:sample_rate=44100:duration=3`;
    execFileSync('ffmpeg', ['-nostdin', '-v', 'error', '-f', 'lavfi', '-i', tone, '-af', 'volume=3', tonePath]);
  });
  const change = async (effect: string, audio: string) => {
    const [output] = await runEngine('voice-fx', {
      taskType: 'audio.voice-change',
      params: { effect },
      inputs: { audio: [audio] },
      dir,
    });
    return readSound({ path: output!.path, rate: RATE, ffmpegPath: 'ffmpeg', dir });
  };

  test.each([
    ['deeper', 0.82],
    ['brighter', 1.2],
    ['giant', 0.7],
    ['chipmunk', 1.5],
  ] as const)('%s moves the pitch by %f', async (effect, factor) => {
    const samples = (await change(effect, tonePath)).subarray(RATE / 2, RATE * 2.5);
    const crossings = samples.reduce(
      (sum, value, at) => sum + (at > 0 && samples[at - 1]! < 0 && value >= 0 ? 1 : 0),
      0,
    );
    expect(crossings / 2 / TONE_HZ).toBeCloseTo(factor, 1);
  });

  test.each(Object.keys(voiceEffects) as VoiceEffect[])('%s keeps the length and is audible', async (effect) => {
    const before = await readSound({ path: SAMPLE_PATH, rate: RATE, ffmpegPath: 'ffmpeg', dir });
    const after = await change(effect, SAMPLE_PATH);
    const peak = after.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect(Math.abs(after.length - before.length) / RATE).toBeLessThan(effect === 'cave' ? CAVE_TAIL_SECONDS : 0.2);
    expect(peak).toBeGreaterThan(0.2);
    expect(peak).toBeLessThanOrEqual(1);
  });

  test('an unknown effect is refused with the available ones', async () => {
    await expect(change('celebrity', tonePath)).rejects.toThrow('Unknown effect celebrity. Use one of deeper');
  });
});
