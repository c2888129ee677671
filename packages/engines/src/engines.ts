/**
 * The engines table: every engine that runs on the worker's CPU, and its requirements. It is data only: importing it loads
 * no engine and none of their packages.
 */
export interface EngineRow {
  /** The engine's module, which exports `createEngine`. Only the child loads it. */
  readonly module: URL;
  /** Sets of weights, by their id in catalog/weights.json. */
  readonly weights: readonly string[];
  /** Programs that must be on the PATH. */
  readonly programs: readonly string[];
  /** Optional packages that must be installed. */
  readonly packages: readonly string[];
  /** A child is killed when its memory, including its own children and its files in /tmp, exceeds this. */
  readonly memoryMb: number;
  /** Uses all the cores it gets: few of these run at once. */
  readonly heavy: boolean;
}

export const engines = {
  u2net: {
    module: new URL('./cutout/u2net.ts', import.meta.url),
    weights: ['u2net'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  silueta: {
    module: new URL('./cutout/silueta.ts', import.meta.url),
    weights: ['silueta'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  modnet: {
    module: new URL('./cutout/modnet.ts', import.meta.url),
    weights: ['modnet'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  migan: {
    module: new URL('./inpaint/migan.ts', import.meta.url),
    weights: ['migan'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  'real-esrgan': {
    module: new URL('./upscale/real-esrgan.ts', import.meta.url),
    weights: ['realesrgan-x2'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  vtracer: {
    module: new URL('./vector/vtracer.ts', import.meta.url),
    weights: [],
    programs: [],
    packages: ['@neplex/vectorizer'],
    memoryMb: 1_000,
    heavy: false,
  },
  relight: {
    module: new URL('./styles/relight.ts', import.meta.url),
    weights: ['silueta'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  kokoro: {
    module: new URL('./speech/kokoro.ts', import.meta.url),
    weights: ['kokoro', 'kokoro-voices'],
    programs: ['espeak-ng', 'ffmpeg'],
    packages: ['onnxruntime-node'],
    memoryMb: 2_500,
    heavy: true,
  },
  moonshine: {
    module: new URL('./speech/moonshine.ts', import.meta.url),
    weights: ['moonshine-tiny'],
    programs: ['ffmpeg'],
    packages: ['onnxruntime-node'],
    memoryMb: 1_000,
    heavy: false,
  },
  'whisper-base': {
    module: new URL('./speech/whisper.ts', import.meta.url),
    weights: ['whisper-base'],
    programs: ['ffmpeg'],
    packages: ['@huggingface/transformers', 'onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  rnnoise: {
    module: new URL('./speech/rnnoise.ts', import.meta.url),
    weights: [],
    programs: ['ffmpeg'],
    packages: ['@shiguredo/rnnoise-wasm'],
    memoryMb: 1_000,
    heavy: false,
  },
  'voice-fx': {
    module: new URL('./speech/voice-fx.ts', import.meta.url),
    weights: [],
    programs: ['ffmpeg'],
    packages: [],
    memoryMb: 500,
    heavy: false,
  },
  'ffmpeg-video': {
    module: new URL('./video/ffmpeg-video.ts', import.meta.url),
    weights: [],
    programs: ['ffmpeg', 'ffprobe'],
    packages: [],
    memoryMb: 2_000,
    heavy: true,
  },
  icon3d: {
    module: new URL('./solid/icon3d.ts', import.meta.url),
    weights: [],
    programs: ['assimp', 'ffmpeg'],
    packages: ['fluentui-emoji', 'three'],
    memoryMb: 2_000,
    heavy: true,
  },
  inflate3d: {
    module: new URL('./solid/inflate3d.ts', import.meta.url),
    weights: ['silueta'],
    programs: ['assimp'],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  gmic: {
    module: new URL('./styles/gmic.ts', import.meta.url),
    weights: [],
    programs: ['gmic'],
    packages: [],
    memoryMb: 2_500,
    heavy: true,
  },
  parallax: {
    module: new URL('./video/parallax.ts', import.meta.url),
    weights: ['silueta', 'migan'],
    programs: ['ffmpeg'],
    packages: ['onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  'landscape-painter': {
    module: new URL('./landscape/landscape-painter.ts', import.meta.url),
    weights: [],
    programs: [],
    packages: [],
    memoryMb: 1_000,
    heavy: true,
  },
  'midi-composer': {
    module: new URL('./music/midi-composer.ts', import.meta.url),
    weights: [],
    programs: ['fluidsynth', 'ffmpeg'],
    packages: ['@tonejs/midi'],
    memoryMb: 1_000,
    heavy: true,
  },
  'sfx-lab': {
    module: new URL('./sound/sfx-lab.ts', import.meta.url),
    weights: [],
    programs: [],
    packages: [],
    memoryMb: 600,
    heavy: false,
  },
  'modnet-video': {
    module: new URL('./video/modnet-video.ts', import.meta.url),
    weights: ['modnet'],
    programs: ['ffmpeg', 'ffprobe'],
    packages: ['onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  'portrait-talk': {
    module: new URL('./portrait/portrait-talk.ts', import.meta.url),
    weights: ['face'],
    programs: ['ffmpeg'],
    packages: ['@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm', 'rhubarb-lip-sync-wasm'],
    memoryMb: 2_000,
    heavy: true,
  },
  retouch: {
    module: new URL('./portrait/retouch.ts', import.meta.url),
    weights: ['face'],
    programs: [],
    packages: ['@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm'],
    memoryMb: 2_000,
    heavy: false,
  },
} as const satisfies Record<string, EngineRow>;

export type EngineName = keyof typeof engines;
