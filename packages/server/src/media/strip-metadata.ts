import { rm, stat } from 'node:fs/promises';
import { followCopyPlan } from './clean/copy-plan.ts';
import { copyPackets } from './copy-packets.ts';
import { MediaRefused } from './media-facts.ts';
import type { MediaTools } from './media-tools.ts';
import { sniffType } from './sniff-type.ts';

const PICTURES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);

const MAX_GROWTH_BYTES = 1024 * 1024;

/** Writes a copy of the same type without metadata. Pixels and packets are unchanged. */
export async function stripMetadata(
  tools: MediaTools,
  { path, mimeType, outPath }: { path: string; mimeType: string; outPath: string },
): Promise<{ bytes: number }> {
  try {
    if (PICTURES.has(mimeType)) await copyPicture(tools, { path, mimeType, outPath });
    else await copyPackets(tools, { path, mimeType, outPath });
    await requireSameType({ outPath, mimeType });
    return { bytes: (await stat(outPath)).size };
  } catch (error) {
    await rm(outPath, { force: true });
    throw error;
  }
}

/** A confined process parses the file and plans which bytes to copy; this process only copies them. */
async function copyPicture(
  tools: MediaTools,
  { path, mimeType, outPath }: { path: string; mimeType: string; outPath: string },
): Promise<void> {
  const { answer } = await tools.probe({ request: { task: 'clean', mimeType }, path });
  const { plan } = answer;
  const maxBytes = (await stat(path)).size + MAX_GROWTH_BYTES;
  if (!answer.readable || !plan || !(await followCopyPlan({ path, outPath, plan, maxBytes }))) {
    throw new MediaRefused('upload_invalid', answer.detail ?? 'The file cannot be copied completely.');
  }
}

export async function requireSameType({ outPath, mimeType }: { outPath: string; mimeType: string }): Promise<void> {
  const type = await sniffType({ path: outPath, purpose: 'upload' });
  if (type.mimeType !== mimeType)
    throw new MediaRefused('upload_invalid', 'The file does not match its declared type.');
}
