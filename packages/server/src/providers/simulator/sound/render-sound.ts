import { writeFile } from 'node:fs/promises';
import type { ProducedOutput, Stem } from '../../provider.ts';
import type { RenderRequest } from '../render-request.ts';
import { encodeWav } from './encode-wav.ts';
import { synthesizeMelody } from './synthesize-melody.ts';

const SECONDS = 1.5;
const SAMPLE_RATE_HZ = 22_050;
const STEMS: Readonly<Record<Stem, true>> = { vocals: true, drums: true, bass: true, other: true };

export async function renderSound({ params, caption, seed, basePath }: RenderRequest): Promise<ProducedOutput> {
  const path = `${basePath}.wav`;
  const samples = synthesizeMelody({ seed: `${caption}:${seed}`, seconds: SECONDS, sampleRateHz: SAMPLE_RATE_HZ });
  await writeFile(path, encodeWav(samples, { sampleRateHz: SAMPLE_RATE_HZ }));
  const { stem } = params;
  return isStem(stem) ? { path, stem } : { path };
}

function isStem(value: unknown): value is Stem {
  return typeof value === 'string' && Object.hasOwn(STEMS, value);
}
