/** Keeps the loudest sample of every stretch of a sound of unknown length, in bounded memory. */
export interface PeakMeter {
  /** Chunks of 16-bit little-endian samples, split anywhere. */
  add: (piece: Buffer) => void;
  samples: () => number;
  /** This many peaks from 0 to 1, evenly over the whole sound. */
  peaks: (count: number) => number[];
}

const MAX_STRETCHES = 16384;
const FULL_SCALE = 32768;

export function createPeakMeter(): PeakMeter {
  const stretches = new Uint16Array(MAX_STRETCHES);
  let stretchSamples = 1;
  let samples = 0;
  let oddByte: number | null = null;

  const note = (sample: number) => {
    let place = Math.floor(samples / stretchSamples);
    if (place >= MAX_STRETCHES) {
      // Full: neighbours are merged, and every stretch is twice as long from now on.
      for (let pair = 0; pair < MAX_STRETCHES / 2; pair++) {
        stretches[pair] = Math.max(stretches[pair * 2]!, stretches[pair * 2 + 1]!);
      }
      stretches.fill(0, MAX_STRETCHES / 2);
      stretchSamples *= 2;
      place = Math.floor(samples / stretchSamples);
    }
    const loudness = Math.abs(sample);
    if (loudness > stretches[place]!) stretches[place] = loudness;
    samples++;
  };

  return {
    add(piece) {
      let at = 0;
      if (oddByte !== null && piece.length > 0) {
        note(((oddByte | (piece[0]! << 8)) << 16) >> 16);
        oddByte = null;
        at = 1;
      }
      for (; at + 1 < piece.length; at += 2) note(piece.readInt16LE(at));
      if (at < piece.length) oddByte = piece[at]!;
    },
    samples: () => samples,
    peaks(count) {
      const used = Math.ceil(samples / stretchSamples);
      return Array.from({ length: count }, (_, peak) => {
        const from = Math.floor((peak * used) / count);
        const to = Math.max(from + 1, Math.floor(((peak + 1) * used) / count));
        let loudest = 0;
        for (let place = from; place < to && place < used; place++) loudest = Math.max(loudest, stretches[place]!);
        return Math.round((loudest / FULL_SCALE) * 1000) / 1000;
      });
    },
  };
}
