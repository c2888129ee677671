import { basename, dirname } from 'node:path';
import { readSound } from '../audio/sound-files.ts';
import type { CreateEngine } from '../engine.ts';
import { splitAtSilences } from './split-at-silences.ts';
import { type Caption, writeTranscript } from './transcript.ts';

const RATE = 16_000;
/** The model processes windows of 30 s, each of this size. */
const SPLIT = { minSeconds: 18, maxSeconds: 29, pauseSeconds: 0.3 };
const MAX_TOKENS_PER_SECOND = 12;
const MIN_TOKENS = 32;
const WITHOUT_SPACES = new Set(['ja', 'zh']);

interface Heard {
  readonly chunks?: ReadonlyArray<{
    readonly timestamp: readonly [number | null, number | null];
    readonly text: string;
  }>;
}

/** Whisper base: speech to text in many languages. */
export const createEngine: CreateEngine = async (kit) => {
  const { env, pipeline } = await import('@huggingface/transformers');
  const folder = kit.weights('whisper-base');
  env.allowRemoteModels = false;
  env.useFSCache = false;
  env.localModelPath = dirname(folder);
  const listen = await pipeline('automatic-speech-recognition', basename(folder), {
    dtype: 'q8',
    device: 'cpu',
    local_files_only: true,
    // With the memory arena, which the fixed window bounds: without it half of the time is spent on allocation. Spinning
    // threads would take cores from other work.
    session_options: {
      intraOpNumThreads: kit.threads,
      interOpNumThreads: 1,
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    },
  });

  return {
    async run({ params, inputs, dir }, report) {
      const language = String(params.language ?? 'en');
      const samples = await readSound({
        path: inputs['audio']![0]!,
        rate: RATE,
        ffmpegPath: kit.program('ffmpeg'),
        dir,
      });
      const stretches = splitAtSilences({ samples, rate: RATE, ...SPLIT });
      const captions: Caption[] = [];
      for (const [index, { from, to }] of stretches.entries()) {
        const heard = (await listen(samples.slice(Math.round(from * RATE), Math.round(to * RATE)), {
          language,
          task: 'transcribe',
          return_timestamps: true,
          max_new_tokens: Math.max(MIN_TOKENS, Math.ceil((to - from) * MAX_TOKENS_PER_SECOND)),
        })) as Heard;
        for (const { timestamp, text } of heard.chunks ?? []) {
          const end = Math.min(to, from + (timestamp[1] ?? to - from));
          captions.push({ from: Math.min(end, from + (timestamp[0] ?? 0)), to: end, text: text.trim() });
        }
        report((index + 1) / stretches.length);
      }
      return [await writeTranscript({ captions, space: WITHOUT_SPACES.has(language) ? '' : ' ', dir })];
    },
  };
};
