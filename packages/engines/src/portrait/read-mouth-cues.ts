import type { MouthCue } from './mouth-shapes.ts';

/** The mouth shapes of a recording: 16-bit samples, mono, 16,000 a second. */
export async function readMouthCues(samples: Buffer<ArrayBuffer>): Promise<readonly MouthCue[]> {
  const { Rhubarb } = await import('rhubarb-lip-sync-wasm');
  const { mouthCues } = await Rhubarb.getLipSync(samples);
  return mouthCues;
}
