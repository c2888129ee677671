import type { ProbeResult } from '../probe/probe-protocol.ts';
import { ProbeRefusal } from '../probe/probe-protocol.ts';
import { cleanJpeg } from './clean-jpeg.ts';
import { cleanPng } from './clean-png.ts';
import { cleanWebp } from './clean-webp.ts';
import { type FileCopier, planCopy } from './file-copier.ts';

const CLEANERS: Readonly<Record<string, (files: FileCopier) => Promise<void>>> = {
  'image/jpeg': cleanJpeg,
  'image/png': cleanPng,
  'image/webp': cleanWebp,
};

/** Plans a copy of a picture without its metadata. */
export async function planCleanCopy({ path, mimeType }: { path: string; mimeType: string }): Promise<ProbeResult> {
  const clean = CLEANERS[mimeType];
  if (!clean) throw new ProbeRefusal('Unsupported image type.');
  return { answer: { readable: true, plan: await planCopy(path, clean) }, picture: Buffer.alloc(0) };
}
