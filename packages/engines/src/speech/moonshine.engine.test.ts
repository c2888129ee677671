import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hasWeights, runEngine } from '../testing/run-engine.ts';
import { countWordErrors } from './testing/count-word-errors.ts';
import { SAMPLE_PATH, SAMPLE_TEXT } from './testing/sample-speech.ts';

const MAX_WORD_ERROR_RATE = 0.08;

describe.skipIf(!hasWeights('moonshine'))('moonshine', () => {
  const dir = mkdtempSync(join(tmpdir(), 'atelier-moonshine-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  test('transcribes the sample, with timestamps within its length', async () => {
    const reported: number[] = [];
    const [output] = await runEngine('moonshine', {
      taskType: 'audio.stt',
      inputs: { audio: [SAMPLE_PATH] },
      dir,
      onProgress: (progress) => reported.push(progress),
    });
    const heard = readFileSync(output!.path, 'utf8');
    const { errors, words } = countWordErrors({ said: SAMPLE_TEXT, heard, language: 'en' });
    console.info(`moonshine: ${errors} of ${words} words wrong`);
    expect(errors / words).toBeLessThanOrEqual(MAX_WORD_ERROR_RATE);
    expect(reported).toEqual([...reported].sort((a, b) => a - b));
    expect(reported.at(-1)).toBe(1);
    const srt = readFileSync(output!.subtitles!.srtPath, 'utf8');
    const times = [...srt.matchAll(/(\d\d):(\d\d):(\d\d),(\d{3})/g)].map(([, h, m, s, ms]) =>
      Number(`${h! + m! + s!}.${ms!}`),
    );
    expect(times.length).toBe(reported.length * 2);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(readFileSync(output!.subtitles!.vttPath, 'utf8')).toMatch(/^WEBVTT\n/);
  });

  test('silence is refused with a reason', async () => {
    const path = join(dir, 'silence.wav');
    execFileSync('ffmpeg', [
      '-nostdin',
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'anullsrc=r=16000:cl=mono',
      '-t',
      '3',
      path,
    ]);
    const run = runEngine('moonshine', { taskType: 'audio.stt', inputs: { audio: [path] }, dir });
    await expect(run).rejects.toMatchObject({ name: 'EngineRefusal', message: expect.stringContaining('No speech') });
  });
});
