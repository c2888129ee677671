const WANTED_LEVEL = 0.1;
const MAX_PEAK = 0.9;

/** Normalizes the level of voices, which differ by ten decibels, and avoids clipping. */
export function levelSpeech(samples: Float32Array): Float32Array {
  let [sum, peak] = [0, 0];
  for (const value of samples) {
    sum += value * value;
    peak = Math.max(peak, Math.abs(value));
  }
  if (peak === 0) return samples;
  const gain = Math.min(WANTED_LEVEL / Math.sqrt(sum / samples.length), MAX_PEAK / peak);
  return samples.map((value) => value * gain);
}
