import { type MediaFacts, MediaRefused } from './media-facts.ts';

const BYTES_PER_MB = 1024 * 1024;

/** A 60 s recording carries audio padding of up to a few frames: it still counts as 60 s. */
export const DURATION_TOLERANCE_SECONDS = 0.1;

export type UploadKind = 'image' | 'audio' | 'video';

export interface UploadLimit {
  maxBytes: number;
  maxSidePixels: number | null;
  maxDurationSeconds: number | null;
}

export const UPLOAD_LIMITS: Readonly<Record<UploadKind, UploadLimit>> = {
  image: { maxBytes: 20 * BYTES_PER_MB, maxSidePixels: 8192, maxDurationSeconds: null },
  audio: { maxBytes: 50 * BYTES_PER_MB, maxSidePixels: null, maxDurationSeconds: 600 },
  video: { maxBytes: 200 * BYTES_PER_MB, maxSidePixels: 4096, maxDurationSeconds: 60 },
};

export function requireUploadSize(kind: UploadKind, bytes: number): void {
  const { maxBytes } = UPLOAD_LIMITS[kind];
  if (bytes > maxBytes) {
    throw new MediaRefused('upload_too_large', `The ${kind} upload exceeds ${maxBytes / BYTES_PER_MB} MB.`);
  }
}

export function requireUploadFacts(facts: MediaFacts): void {
  if (facts.kind !== 'image' && facts.kind !== 'audio' && facts.kind !== 'video') {
    throw new MediaRefused('upload_invalid', 'An upload must be an image, an audio file or a video.');
  }
  const { maxSidePixels, maxDurationSeconds } = UPLOAD_LIMITS[facts.kind];
  if (maxSidePixels !== null && Math.max(facts.width ?? 0, facts.height ?? 0) > maxSidePixels) {
    throw new MediaRefused('upload_invalid', `The ${facts.kind} upload exceeds ${maxSidePixels} px on a side.`);
  }
  if (maxDurationSeconds !== null && (facts.durationSeconds ?? 0) > maxDurationSeconds + DURATION_TOLERANCE_SECONDS) {
    throw new MediaRefused('upload_too_long', `The ${facts.kind} upload exceeds ${maxDurationSeconds} s.`);
  }
}
