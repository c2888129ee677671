import type { usesLikeness } from '../uses-likeness.ts';
import type { CreateEngine } from './engine.ts';

/** The engines table: every engine that runs on the worker's own processors, and what it needs to be offered. */
export interface EngineRow {
  /** The engine's module, loaded in the child alone. */
  readonly load: () => Promise<{ readonly createEngine: CreateEngine }>;
  /** Sets of weights, by their id in catalog/weights.json. */
  readonly weights: readonly string[];
  /** Programs that must be on the path. */
  readonly programs: readonly string[];
  /** Packages that an installation may have left out. */
  readonly packages: readonly string[];
  /** A child whose memory, with that of its own children and what it wrote to /tmp, grows beyond this is ended. */
  readonly memoryMb: number;
  /** Wants all the cores it is given: few of these run at once. */
  readonly heavy: boolean;
}

export const engines = {
  u2net: {
    load: () => import('./engines/image/u2net.ts'),
    weights: ['u2net'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  silueta: {
    load: () => import('./engines/image/silueta.ts'),
    weights: ['silueta'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  modnet: {
    load: () => import('./engines/image/modnet.ts'),
    weights: ['modnet'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  migan: {
    load: () => import('./engines/image/migan.ts'),
    weights: ['migan'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  'real-esrgan': {
    load: () => import('./engines/image/real-esrgan.ts'),
    weights: ['realesrgan-x2'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  vtracer: {
    load: () => import('./engines/image/vtracer.ts'),
    weights: [],
    programs: [],
    packages: ['@neplex/vectorizer'],
    memoryMb: 1_000,
    heavy: false,
  },
  relight: {
    load: () => import('./engines/image/relight.ts'),
    weights: ['silueta'],
    programs: [],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  kokoro: {
    load: () => import('./engines/speech/kokoro.ts'),
    weights: ['kokoro', 'kokoro-voices'],
    programs: ['espeak-ng', 'ffmpeg'],
    packages: ['onnxruntime-node'],
    memoryMb: 2_500,
    heavy: true,
  },
  moonshine: {
    load: () => import('./engines/speech/moonshine.ts'),
    weights: ['moonshine-tiny'],
    programs: ['ffmpeg'],
    packages: ['onnxruntime-node'],
    memoryMb: 1_000,
    heavy: false,
  },
  'whisper-base': {
    load: () => import('./engines/speech/whisper.ts'),
    weights: ['whisper-base'],
    programs: ['ffmpeg'],
    packages: ['@huggingface/transformers', 'onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  rnnoise: {
    load: () => import('./engines/speech/rnnoise.ts'),
    weights: [],
    programs: ['ffmpeg'],
    packages: ['@shiguredo/rnnoise-wasm'],
    memoryMb: 1_000,
    heavy: false,
  },
  'voice-fx': {
    load: () => import('./engines/speech/voice-fx.ts'),
    weights: [],
    programs: ['ffmpeg'],
    packages: [],
    memoryMb: 500,
    heavy: false,
  },
  'ffmpeg-video': {
    load: () => import('./engines/video/ffmpeg-video.ts'),
    weights: [],
    programs: ['ffmpeg', 'ffprobe'],
    packages: [],
    memoryMb: 2_000,
    heavy: true,
  },
  icon3d: {
    load: () => import('./engines/solid/icon3d.ts'),
    weights: [],
    programs: ['assimp', 'ffmpeg'],
    packages: ['fluentui-emoji', 'three'],
    memoryMb: 2_000,
    heavy: true,
  },
  inflate3d: {
    load: () => import('./engines/solid/inflate3d.ts'),
    weights: ['silueta'],
    programs: ['assimp'],
    packages: ['onnxruntime-node'],
    memoryMb: 1_500,
    heavy: true,
  },
  gmic: {
    load: () => import('./engines/gmic/gmic.ts'),
    weights: [],
    programs: ['gmic'],
    packages: [],
    memoryMb: 2_500,
    heavy: true,
  },
  'safety-prompt': {
    load: () => import('../../safety/classifiers/prompt-engine.ts'),
    weights: ['minilm'],
    programs: [],
    packages: ['@lat.md/embed'],
    memoryMb: 600,
    heavy: false,
  },
  'safety-picture': {
    load: () => import('../../safety/classifiers/picture-engine.ts'),
    weights: [],
    programs: ['ffmpeg'],
    packages: ['nsfwjs', '@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm'],
    memoryMb: 1_000,
    heavy: false,
  },
  parallax: {
    load: () => import('./engines/video/parallax.ts'),
    weights: ['silueta', 'migan'],
    programs: ['ffmpeg'],
    packages: ['onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  'landscape-painter': {
    load: () => import('./engines/procedural/landscape-painter.ts'),
    weights: [],
    programs: [],
    packages: [],
    memoryMb: 1_000,
    heavy: true,
  },
  'midi-composer': {
    load: () => import('./engines/music/midi-composer.ts'),
    weights: [],
    programs: ['fluidsynth', 'ffmpeg'],
    packages: ['@tonejs/midi'],
    memoryMb: 1_000,
    heavy: true,
  },
  'sfx-lab': {
    load: () => import('./engines/sfx/sfx-lab.ts'),
    weights: [],
    programs: [],
    packages: [],
    memoryMb: 600,
    heavy: false,
  },
  'modnet-video': {
    load: () => import('./engines/video/modnet-video.ts'),
    weights: ['modnet'],
    programs: ['ffmpeg', 'ffprobe'],
    packages: ['onnxruntime-node'],
    memoryMb: 2_000,
    heavy: true,
  },
  'portrait-talk': {
    load: () => import('./engines/face/portrait-talk.ts'),
    weights: ['face'],
    programs: ['ffmpeg'],
    packages: ['@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm', 'rhubarb-lip-sync-wasm'],
    memoryMb: 2_000,
    heavy: true,
  },
  retouch: {
    load: () => import('./engines/face/retouch.ts'),
    weights: ['face'],
    programs: [],
    packages: ['@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm'],
    memoryMb: 2_000,
    heavy: false,
  },
} as const satisfies Record<keyof typeof usesLikeness, EngineRow>;

export type EngineName = keyof typeof engines;
