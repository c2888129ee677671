import { drawAlphaMask } from './draw-alpha-mask.ts';
import { inspectMedia } from './inspect-media.ts';
import { makePreviews, type Previews, writeThumbnail } from './make-previews.ts';
import type { MediaFacts, MediaPurpose } from './media-facts.ts';
import { createMediaTools, type MediaOptions } from './media-tools.ts';
import { prepareUpload } from './prepare-upload.ts';
import { stripMetadata } from './strip-metadata.ts';

export interface Media {
  /** Resolves once a confined child answers; rejects where confinement does not work. */
  ready: () => Promise<void>;
  /** For the files of one account: no confined process reads files of two accounts. */
  of: (accountId: string) => AccountMedia;
  close: () => Promise<void>;
}

export interface AccountMedia {
  inspect: (file: { path: string; purpose: MediaPurpose }) => Promise<MediaFacts>;
  makePreviews: (file: { path: string; facts: MediaFacts; outDir: string }) => Promise<Previews>;
  /** Both at once, because one decoding of a picture serves both. */
  inspectAndPreview: (file: {
    path: string;
    purpose: MediaPurpose;
    outDir: string;
  }) => Promise<{ facts: MediaFacts; previews: Previews }>;
  /** All that an upload needs: facts, previews, and a copy without metadata at `cleanPath`. */
  prepareUpload: (file: {
    path: string;
    outDir: string;
    cleanPath: string;
  }) => Promise<{ facts: MediaFacts; previews: Previews }>;
  /** Writes the transparent area of a picture as a mask: white on black, lossless WebP. */
  drawAlphaMask: (file: { path: string; outPath: string }) => Promise<void>;
  /** Writes a copy of the same type without metadata. */
  stripMetadata: (file: { path: string; mimeType: string; outPath: string }) => Promise<{ bytes: number }>;
}

export function createMedia(options: MediaOptions): Media {
  const box = createMediaTools(options);
  return {
    ready: async () => void (await box.of('').probe({ request: { task: 'waveform', peaks: [0] }, path: null })),
    of(accountId) {
      const tools = box.of(accountId);
      return {
        inspect: async (file) => (await inspectMedia(tools, file)).facts,
        makePreviews: (file) => makePreviews(tools, file),
        async inspectAndPreview({ path, purpose, outDir }) {
          const { facts, picture } = await inspectMedia(tools, { path, purpose });
          const previews = picture
            ? { thumbnail: await writeThumbnail(outDir, picture) }
            : await makePreviews(tools, { path, facts, outDir });
          return { facts, previews };
        },
        prepareUpload: (file) => prepareUpload(tools, file),
        drawAlphaMask: (file) => drawAlphaMask(tools, file),
        stripMetadata: (file) => stripMetadata(tools, file),
      };
    },
    close: () => box.close(),
  };
}
