/** Converts sentences to speech and back to text with two engines, and counts wrong words. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { countWordErrors, type WordErrors } from '@atelier/engines/speech/testing/count-word-errors.ts';
import { hasWeights, runEngine } from '@atelier/engines/testing/run-engine.ts';

const HELP = `Usage: node scripts/measure-speech.ts [--json] [--help]

Converts 20 English and 20 Spanish sentences to speech with kokoro, transcribes them with whisper-base, and prints the word error
rate of each language with the worst sentences. Needs the weights of both.

  --json   print JSON
  --help   show this text

Exit status: 0 within the limit (5 % English, 10 % Spanish), 1 above it, 2 missing weights.`;

const LANGUAGES = [
  {
    language: 'en',
    bar: 0.05,
    voices: ['af_heart', 'am_michael', 'bf_emma', 'bm_george'],
    sentences: readSentences('en'),
  },
  { language: 'es', bar: 0.1, voices: ['ef_dora', 'em_alex'], sentences: readSentences('es') },
] as const;
const WORST_SHOWN = 5;
const MISSING_STATUS = 2;

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, help: { type: 'boolean', default: false } },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
if (!hasWeights('kokoro') || !hasWeights('whisper-base')) {
  console.error(
    'measure-speech: missing weights of kokoro and whisper-base. Run: npm run weights -- pull kokoro whisper-base',
  );
  process.exit(MISSING_STATUS);
}

const dir = mkdtempSync(join(tmpdir(), 'atelier-measure-speech-'));
const figures = [];
try {
  for (const { language, bar, voices, sentences } of LANGUAGES) {
    const trips: (WordErrors & { voice: string; said: string; heard: string })[] = [];
    for (const [index, said] of sentences.entries()) {
      const voice = voices[index % voices.length]!;
      const [speech] = await runEngine('kokoro', {
        taskType: 'audio.tts',
        params: { text: said, voice, speed: 1, format: 'wav' },
        dir,
      });
      const [text] = await runEngine('whisper-base', {
        taskType: 'audio.stt',
        params: { language },
        inputs: { audio: [speech!.path] },
        dir,
      });
      const heard = readFileSync(text!.path, 'utf8').trim();
      trips.push({ voice, said, heard, ...countWordErrors({ said, heard, language }) });
      if (!values.json) process.stderr.write(`\r${language} ${index + 1}/${sentences.length}  `);
    }
    const sum = (pick: 'errors' | 'words') => trips.reduce((total, trip) => total + trip[pick], 0);
    figures.push({
      language,
      sentences: trips.length,
      words: sum('words'),
      errors: sum('errors'),
      wordErrorRate: sum('errors') / sum('words'),
      bar,
      worst: trips
        .filter(({ errors }) => errors > 0)
        .sort((a, b) => b.errors / b.words - a.errors / a.words)
        .slice(0, WORST_SHOWN),
    });
  }
} finally {
  rmSync(dir, { recursive: true, force: true });
}

if (values.json) console.log(JSON.stringify(figures));
else {
  process.stderr.write('\r');
  for (const { language, words, errors, wordErrorRate, bar, worst } of figures) {
    console.log(`${language}: ${errors} of ${words} words wrong, ${percent(wordErrorRate)} (limit ${percent(bar)})`);
    for (const trip of worst)
      console.log(`  ${trip.errors}/${trip.words} ${trip.voice}\n    said  ${trip.said}\n    heard ${trip.heard}`);
  }
}
process.exit(figures.every(({ wordErrorRate, bar }) => wordErrorRate <= bar) ? 0 : 1);

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function readSentences(language: 'en' | 'es'): readonly string[] {
  return readFileSync(new URL(`measure-speech/${language}.txt`, import.meta.url), 'utf8')
    .trim()
    .split('\n');
}
