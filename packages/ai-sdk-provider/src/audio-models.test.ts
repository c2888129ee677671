import { NoSuchModelError } from '@ai-sdk/provider';
import { generateSpeech, transcribe } from 'ai';
import { expect, test } from 'vitest';
import { createCannedService } from '../testing/canned-answers.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;

test('text becomes speech', async () => {
  const { atelier, submits } = createCannedService();
  const model = atelier.speech('reader');
  const { audio, warnings } = await generateSpeech({
    model,
    text: 'Hello',
    voice: 'alba',
    speed: 1.2,
    outputFormat: 'wav',
    instructions: 'slowly',
    language: 'en',
  });
  expect(submits).toEqual([{ modelId: 'reader', maxCoins: 50, params: { text: 'Hello', voice: 'alba', speed: 1.2 } }]);
  expect(new TextDecoder().decode(audio.uint8Array)).toBe('the file');
  const features = warnings.map((warning) => 'feature' in warning && warning.feature);
  expect(features).toEqual(['language', 'outputFormat', 'instructions']);
  await expect(generateSpeech({ model: atelier.speech('scribe'), text: 'x' })).rejects.toBeInstanceOf(NoSuchModelError);
});

test('a recording becomes text with the times of its subtitles', async () => {
  const { atelier, submits } = createCannedService();
  const { text, segments, durationInSeconds, warnings } = await transcribe({
    model: atelier.transcription('scribe'),
    audio: new Uint8Array([1, 2, 3]),
    providerOptions: { atelier: { maxCoins: 9 } },
  });
  expect(submits[0]).toMatchObject({ maxCoins: 9, params: { audio: expect.stringMatching(/^upload-/) } });
  expect(text).toBe('the file');
  expect(segments).toEqual([
    { text: 'Hello there', startSecond: 0, endSecond: 1.5 },
    { text: 'Bye', startSecond: 2, endSecond: 63.25 },
  ]);
  expect(durationInSeconds).toBe(63.25);
  expect(warnings).toEqual([]);
});
