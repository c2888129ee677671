import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type SoundFormat, writeSound } from '../audio/sound-files.ts';
import { type CreateEngine, EngineRefusal } from '../engine.ts';
import { type Chunk, packChunks, splitClauses } from './clauses.ts';
import { joinSpeech, levelSpeech } from './join-speech.ts';
import { kokoroSymbols, languageOfVoice } from './kokoro-voices.ts';
import { phonemizeClauses } from './phonemes.ts';
import { spellAmounts } from './spell-amounts.ts';
import { upcastModel } from './upcast-model.ts';

const RATE = 24_000;
const STYLE_SIZE = 256;
/** Names and loan words in another script are accepted; a whole text is not. */
const MAX_FOREIGN_LETTERS = 0.1;

/** Kokoro-82M: text to speech. espeak-ng provides the phonemes. */
export const createEngine: CreateEngine = async (kit) => {
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  // In half precision about one sentence in six comes out silent.
  const model = upcastModel(await readFile(join(kit.weights('kokoro'), 'kokoro-fp16.onnx')));
  const session = await InferenceSession.create(model, {
    intraOpNumThreads: kit.threads,
    interOpNumThreads: 1,
    graphOptimizationLevel: 'all',
    enableCpuMemArena: false,
    logSeverityLevel: 3,
  });
  const styles = new Map<string, Promise<Float32Array>>();

  async function say(options: { chunk: Chunk; voice: string; speed: number }): Promise<Float32Array> {
    const tokens = [...options.chunk.phonemes].map((symbol) => BigInt(kokoroSymbols.get(symbol)!));
    if (!styles.has(options.voice)) styles.set(options.voice, readStyle(kit.weights('kokoro-voices'), options.voice));
    const row = tokens.length - 1;
    const style = (await styles.get(options.voice)!).slice(row * STYLE_SIZE, (row + 1) * STYLE_SIZE);
    const { waveform } = await session.run({
      input_ids: new Tensor('int64', BigInt64Array.from([0n, ...tokens, 0n]), [1, tokens.length + 2]),
      style: new Tensor('float32', style, [1, STYLE_SIZE]),
      speed: new Tensor('float32', Float32Array.of(options.speed), [1]),
    });
    return waveform!.data as Float32Array;
  }

  return {
    async run({ params, dir }, report) {
      const voice = String(params.voice);
      const language = languageOfVoice(voice);
      if (language === undefined) throw new EngineRefusal(`Unknown voice ${voice}.`);
      const text = spellAmounts({ text: String(params.text).normalize('NFC'), speech: language.speech });
      const letters = text.match(/\p{L}/gu) ?? [];
      if (letters.filter((letter) => !language.letters.test(letter)).length > letters.length * MAX_FOREIGN_LETTERS) {
        throw new EngineRefusal(`Voice ${voice} supports ${language.name} only. Send a text in that language.`);
      }
      const clauses = await phonemizeClauses({
        clauses: splitClauses(text),
        speech: language.speech,
        espeakPath: kit.program('espeak-ng'),
        dir,
      });
      const chunks = packChunks(clauses);
      if (chunks.length === 0) throw new EngineRefusal('The text has no words. Use letters or digits.');
      const parts = [];
      for (const chunk of chunks) {
        parts.push({
          samples: await say({ chunk, voice, speed: Number(params.speed ?? 1) }),
          endsParagraph: chunk.endsParagraph,
        });
        report(parts.length / (chunks.length + 1));
      }
      const path = await writeSound({
        samples: levelSpeech(joinSpeech({ parts, rate: RATE })),
        rate: RATE,
        format: String(params.format ?? 'mp3') as SoundFormat,
        ffmpegPath: kit.program('ffmpeg'),
        dir,
        name: 'speech',
      });
      return [{ path }];
    },
  };
};

async function readStyle(folder: string, voice: string): Promise<Float32Array> {
  const bytes = await readFile(join(folder, `${voice}.bin`));
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}
