import { randomStream } from '../render-request.ts';

export interface MelodyOptions {
  readonly seed: string;
  readonly seconds: number;
  readonly sampleRateHz: number;
}

const NOTES = 6;
const PENTATONIC_SEMITONES = [0, 2, 4, 7, 9, 12, 14, 16];
const LOWEST_HZ = 220;
const ATTACK_SECONDS = 0.008;
const DECAY_PER_SECOND = 7;
const VOLUME = 0.42;

/** A short run of harmonious plucked notes, different for each seed. */
export function synthesizeMelody({ seed, seconds, sampleRateHz }: MelodyOptions): Float32Array {
  const random = randomStream(seed);
  const samples = new Float32Array(Math.round(seconds * sampleRateHz));
  const noteSamples = Math.ceil(samples.length / NOTES);
  const key = LOWEST_HZ * 2 ** (Math.floor(random() * 5) / 12);
  const decay = Math.exp(-DECAY_PER_SECOND / sampleRateHz);
  for (let note = 0; note < NOTES; note++) {
    const semitones = PENTATONIC_SEMITONES[Math.floor(random() * PENTATONIC_SEMITONES.length)] ?? 0;
    const step = (2 * Math.PI * key * 2 ** (semitones / 12)) / sampleRateHz;
    const from = note * noteSamples;
    const until = Math.min(samples.length, from + noteSamples);
    let loudness = VOLUME;
    for (let at = from; at < until; at++) {
      const age = (at - from) / sampleRateHz;
      const left = (until - at) / sampleRateHz;
      const edge = Math.min(1, age / ATTACK_SECONDS, left / ATTACK_SECONDS);
      const angle = step * (at - from);
      const sine = Math.sin(angle);
      // Harmonics by trigonometric identity, because sines dominate the cost.
      const tone = sine + 0.7 * sine * Math.cos(angle) + 0.12 * (3 * sine - 4 * sine ** 3);
      samples[at] = loudness * edge * tone;
      loudness *= decay;
    }
  }
  return samples;
}
