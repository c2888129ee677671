import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hasWeights, runEngine } from '../testing/run-engine.ts';
import { countWordErrors } from './testing/count-word-errors.ts';
import { SAMPLE_PATH, SAMPLE_TEXT, SPANISH_PATH, SPANISH_TEXT } from './testing/sample-speech.ts';

const MAX_WORD_ERROR_RATE = 0.08;
const TIMEOUT_MS = 120_000;

describe.skipIf(!hasWeights('whisper-base'))('whisper-base', () => {
  const dir = mkdtempSync(join(tmpdir(), 'atelier-whisper-'));
  afterAll(() => rmSync(dir, { recursive: true }));

  test.each([
    { language: 'en', path: SAMPLE_PATH, said: SAMPLE_TEXT },
    { language: 'es', path: SPANISH_PATH, said: SPANISH_TEXT },
  ] as const)('transcribes the $language sample', { timeout: TIMEOUT_MS }, async ({ language, path, said }) => {
    const [output] = await runEngine('whisper-base', {
      taskType: 'audio.stt',
      params: { language },
      inputs: { audio: [path] },
      dir,
    });
    const heard = readFileSync(output!.path, 'utf8');
    const { errors, words } = countWordErrors({ said, heard, language });
    console.info(`whisper-base ${language}: ${errors} of ${words} words wrong`);
    expect(errors / words).toBeLessThanOrEqual(MAX_WORD_ERROR_RATE);
    expect(readFileSync(output!.subtitles!.srtPath, 'utf8')).toMatch(/^1\n00:00:0\d,\d{3} --> /);
  });
});
