import { setImmediate } from 'node:timers/promises';
import { readSound, type SoundFormat, writeSound } from '../audio/sound-files.ts';
import type { CreateEngine } from '../engine.ts';

const RATE = 48_000;
/** The model expects samples in the range of 16-bit integers. */
const SAMPLE_SCALE = 32_768;
/** The output is delayed by two frames. */
const FRAMES_LATE = 2;
const FRAMES_PER_REPORT = 500;

/** RNNoise: removes noise from a voice recording. */
export const createEngine: CreateEngine = async (kit) => {
  const rnnoise = await loadRnnoise();

  return {
    async run({ params, inputs, dir }, report) {
      const ffmpegPath = kit.program('ffmpeg');
      const samples = await readSound({ path: inputs['audio']![0]!, rate: RATE, ffmpegPath, dir });
      const size = rnnoise.frameSize;
      const frames = Math.ceil(samples.length / size) + FRAMES_LATE;
      const voice = new Float32Array(samples.length);
      const state = rnnoise.createDenoiseState();
      try {
        for (let at = 0; at < frames; at++) {
          const frame = new Float32Array(size);
          frame.set(samples.subarray(at * size, (at + 1) * size).map((value) => value * SAMPLE_SCALE));
          state.processFrame(frame);
          const to = (at - FRAMES_LATE) * size;
          if (to >= 0)
            voice.set(
              frame.subarray(0, voice.length - to).map((value) => value / SAMPLE_SCALE),
              to,
            );
          if (at % FRAMES_PER_REPORT !== 0) continue;
          report(at / frames);
          await setImmediate();
        }
      } finally {
        state.destroy();
      }
      const format = String(params.format ?? 'wav') as SoundFormat;
      const path = await writeSound({ samples: voice, rate: RATE, format, ffmpegPath, dir, name: 'voice' });
      return [{ path, stem: 'vocals' }];
    },
  };
};

/** The package checks for a browser on load, although it does not need one. */
async function loadRnnoise() {
  const { Rnnoise } = await import('@shiguredo/rnnoise-wasm');
  const scope = globalThis as { WorkerGlobalScope?: unknown };
  scope.WorkerGlobalScope = Object;
  try {
    return await Rnnoise.load();
  } finally {
    delete scope.WorkerGlobalScope;
  }
}
