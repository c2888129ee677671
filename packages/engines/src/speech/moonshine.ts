import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Tensor as TensorValue } from 'onnxruntime-node';
import { readSound } from '../audio/sound-files.ts';
import type { CreateEngine } from '../engine.ts';
import { splitAtSilences } from './split-at-silences.ts';
import { type Caption, writeTranscript } from './transcript.ts';

/** `<unk>\n<s>` in base64: how the list of word pieces begins inside its publisher's script. */
const VOCABULARY = /"(PHVuaz4KPHM\+[A-Za-z0-9+/=]+)"/;
const VOCABULARY_SIZE = 32_000;
const BYTE_PIECE = /^<0x([0-9A-F]{2})>$/;
const FIRST_PIECE_ID = 3;
/** The model often starts with an unclosed quote. */
const STRAY_QUOTES = /["'“”]{2,}/g;

/** Reads Moonshine's word pieces and returns a function that decodes token ids. The script is never executed. */
export async function readMoonshineVocabulary(path: string): Promise<(ids: readonly number[]) => string> {
  const found = VOCABULARY.exec(await readFile(path, 'utf8'))?.[1] ?? '';
  const pieces = Buffer.from(found, 'base64').toString('utf8').split('\n');
  if (pieces.length !== VOCABULARY_SIZE) throw new Error(`${path} has ${pieces.length} word pieces`);
  return (ids) => {
    const bytes = ids
      .filter((id) => id >= FIRST_PIECE_ID && id < VOCABULARY_SIZE)
      .map((id) => {
        const byte = BYTE_PIECE.exec(pieces[id]!)?.[1];
        return byte === undefined ? Buffer.from(pieces[id]!.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex');
      });
    return Buffer.concat(bytes).toString('utf8').replace(STRAY_QUOTES, '').trim();
  };
}

const RATE = 16_000;
/** Its steps are so small that a second thread adds more waiting than work. */
const THREADS = 1;
const LAYERS = 6;
const HEADS = 8;
const HEAD_SIZE = 36;
const START_TOKEN = 1;
const END_TOKEN = 2;
/** Upper bound on speaking speed; without it the model would repeat itself. */
const MAX_TOKENS_PER_SECOND = 6.5;
const MIN_TOKENS = 8;
/** The minimum input of the first layers. */
const MIN_SAMPLES = RATE / 2;
const SPLIT = { minSeconds: 4, maxSeconds: 24, pauseSeconds: 0.3 };

/** Moonshine tiny: English speech to text, one segment between pauses at a time. */
export const createEngine: CreateEngine = async (kit) => {
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const folder = kit.weights('moonshine-tiny');
  // With the memory arena, which stays small here: without it half of the time is spent on allocation.
  const open = (name: string) =>
    InferenceSession.create(join(folder, name), {
      intraOpNumThreads: THREADS,
      interOpNumThreads: 1,
      logSeverityLevel: 3,
    });
  const [encoder, decoder, decode] = await Promise.all([
    open('encoder_model.onnx'),
    open('decoder_model_merged.onnx'),
    readMoonshineVocabulary(join(folder, 'moonshine.min.js')),
  ]);

  async function transcribe(samples: Float32Array): Promise<string> {
    const sound = new Float32Array(Math.max(samples.length, MIN_SAMPLES));
    sound.set(samples);
    const { last_hidden_state: heard } = await encoder.run({
      input_values: new Tensor('float32', sound, [1, sound.length]),
    });
    let memory = emptyMemory((dims) => new Tensor('float32', new Float32Array(0), dims));
    const ids: number[] = [];
    const most = Math.max(MIN_TOKENS, Math.ceil((sound.length / RATE) * MAX_TOKENS_PER_SECOND));
    for (let token = START_TOKEN; token !== END_TOKEN && ids.length < most; ) {
      const outputs = await decoder.run({
        ...memory,
        input_ids: new Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
        encoder_hidden_states: heard!,
        use_cache_branch: new Tensor('bool', [ids.length > 0]),
      });
      token = likeliest(outputs['logits']!.data as Float32Array);
      // Only the first step returns the encoder state.
      const fresh = ids.length === 0 ? memory : filterDecoder(memory);
      memory = { ...memory, ...mapValues(fresh, (name) => outputs[name.replace('past_key_values', 'present')]!) };
      ids.push(token);
    }
    return decode(ids);
  }

  return {
    async run({ inputs, dir }, report) {
      const samples = await readSound({
        path: inputs['audio']![0]!,
        rate: RATE,
        ffmpegPath: kit.program('ffmpeg'),
        dir,
      });
      const stretches = splitAtSilences({ samples, rate: RATE, ...SPLIT });
      const captions: Caption[] = [];
      for (const { from, to } of stretches) {
        captions.push({
          from,
          to,
          text: await transcribe(samples.subarray(Math.round(from * RATE), Math.round(to * RATE))),
        });
        report(captions.length / stretches.length);
      }
      return [await writeTranscript({ captions, space: ' ', dir })];
    },
  };
};

type Memory = Readonly<Record<string, TensorValue>>;

function emptyMemory(empty: (dims: readonly number[]) => TensorValue): Memory {
  const names = Array.from({ length: LAYERS }, (_, layer) =>
    ['decoder', 'encoder'].flatMap((part) =>
      ['key', 'value'].map((kind) => `past_key_values.${layer}.${part}.${kind}`),
    ),
  ).flat();
  return Object.fromEntries(names.map((name) => [name, empty([1, HEADS, 0, HEAD_SIZE])]));
}

function filterDecoder(memory: Memory): Memory {
  return Object.fromEntries(Object.entries(memory).filter(([name]) => name.includes('.decoder.')));
}

function mapValues(memory: Memory, make: (name: string) => TensorValue): Memory {
  return Object.fromEntries(Object.keys(memory).map((name) => [name, make(name)]));
}

function likeliest(logits: Float32Array): number {
  let best = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id]! > logits[best]!) best = id;
  return best;
}
