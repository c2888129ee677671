import { planPacketCopy } from './copy-packets.ts';
import { inspectMedia } from './inspect-media.ts';
import { makePreviews, type Previews, writeThumbnail } from './make-previews.ts';
import type { MediaFacts } from './media-facts.ts';
import type { MediaTools } from './media-tools.ts';
import { requireSameType, stripMetadata } from './strip-metadata.ts';

/**
 * Facts, previews and a copy without metadata. One run of ffmpeg makes previews and copy of a video or a sound. If that
 * run fails, each is made on its own, which decides whether the file is refused.
 */
export async function prepareUpload(
  tools: MediaTools,
  { path, outDir, cleanPath }: { path: string; outDir: string; cleanPath: string },
): Promise<{ facts: MediaFacts; previews: Previews }> {
  const { facts, picture } = await inspectMedia(tools, { path, purpose: 'upload' });
  const clean = { path, mimeType: facts.mimeType, outPath: cleanPath };
  const copy = picture ? null : await planPacketCopy(clean);
  try {
    const previews = picture
      ? { thumbnail: await writeThumbnail(outDir, picture) }
      : await makePreviews(tools, { path, facts, outDir, copy });
    if (copy?.isTaken()) await requireSameType(clean);
    else await stripMetadata(tools, clean);
    return { facts, previews };
  } finally {
    await copy?.discard();
  }
}
