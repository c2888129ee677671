import { stat } from 'node:fs/promises';
import { type MediaFacts, type MediaPurpose, MediaRefused } from './media-facts.ts';
import { FILE_DEADLINE_MS, type MediaTools } from './media-tools.ts';
import type { ImageBounds, ProbeResult } from './probe/probe-protocol.ts';
import { type ContainerFacts, probeWithFfprobe } from './probe-with-ffprobe.ts';
import { type MediaType, sniffType } from './sniff-type.ts';
import { requireUploadFacts, requireUploadSize, UPLOAD_LIMITS, type UploadKind } from './upload-limits.ts';

export const UPLOAD_BOUNDS: ImageBounds = {
  maxSidePixels: UPLOAD_LIMITS.image.maxSidePixels!,
  maxPixels: UPLOAD_LIMITS.image.maxSidePixels! ** 2,
};
/** Upscalers make larger pictures than customers may send. */
export const OUTPUT_BOUNDS: ImageBounds = { maxSidePixels: 16384, maxPixels: 16384 * 8192 };

export interface Inspection {
  facts: MediaFacts;
  /** The thumbnail, if reading the file produced it. */
  picture: Buffer | null;
}

/** The facts of a file, from its bytes only. Refuses invalid files and files above a limit. */
export async function inspectMedia(
  tools: MediaTools,
  { path, purpose }: { path: string; purpose: MediaPurpose },
): Promise<Inspection> {
  const { size } = await stat(path);
  if (size === 0) throw new MediaRefused('upload_invalid', 'The file is empty.');
  const type = await sniffType({ path, purpose });
  if (purpose === 'upload') requireUploadSize(type.kind as UploadKind, size);

  const inspection = await inspectByType(tools, { path, purpose, type });
  if (purpose === 'upload') {
    // In some containers only the tracks distinguish audio from video, so the size is checked again.
    requireUploadSize(inspection.facts.kind as UploadKind, size);
    requireUploadFacts(inspection.facts);
  }
  return inspection;
}

async function inspectByType(
  tools: MediaTools,
  { path, purpose, type }: { path: string; purpose: MediaPurpose; type: MediaType },
): Promise<Inspection> {
  const { kind, mimeType } = type;
  if (kind === 'audio' || kind === 'video') {
    return { facts: await inspectContainer(tools, { path, mimeType }), picture: null };
  }
  if (kind === '3d') {
    const { picture } = required(await tools.probe({ request: { task: 'model' }, path }));
    return { facts: { kind, mimeType, width: null, height: null, durationSeconds: null }, picture };
  }
  if (kind === 'text') {
    const { answer, picture } = required(await tools.probe({ request: { task: 'text', mimeType }, path }));
    const told = answer.mimeType === 'application/json' ? 'application/json' : 'text/plain';
    return { facts: { kind, mimeType: told, width: null, height: null, durationSeconds: null }, picture };
  }
  const bounds = purpose === 'upload' ? UPLOAD_BOUNDS : OUTPUT_BOUNDS;
  const request = mimeType === 'image/svg+xml' ? ({ task: 'svg' } as const) : ({ task: 'image', bounds } as const);
  const { answer, picture } = required(await tools.probe({ request, path }));
  const { width, height, transparent } = answer;
  if (!width || !height) throw new MediaRefused('upload_invalid', 'The image has no pixels.');
  return {
    facts: {
      kind,
      mimeType,
      width,
      height,
      durationSeconds: null,
      ...(transparent === undefined ? {} : { transparent }),
    },
    picture,
  };
}

async function inspectContainer(
  tools: MediaTools,
  { path, mimeType }: { path: string; mimeType: string },
): Promise<MediaFacts> {
  const startedAt = performance.now();
  const { answer } = await tools.probe({ request: { task: 'container', mimeType }, path });
  let facts: ContainerFacts | null = null;
  if (answer.readable && ((answer.videoTracks ?? 0) > 0 || (answer.audioTracks ?? 0) > 0)) {
    facts = {
      videoTracks: answer.videoTracks ?? 0,
      audioTracks: answer.audioTracks ?? 0,
      width: answer.width ?? null,
      height: answer.height ?? null,
      durationSeconds: answer.durationSeconds ?? 0,
      ...(answer.transparent ? { transparent: true } : {}),
    };
  } else if (answer.detail && answer.final) {
    throw new MediaRefused('upload_invalid', answer.detail);
  }
  if (!facts || !(facts.durationSeconds > 0)) {
    const deadlineMs = Math.max(1000, FILE_DEADLINE_MS - (performance.now() - startedAt));
    facts = await probeWithFfprobe(tools, { path, deadlineMs });
  }
  if (!facts) throw new MediaRefused('upload_invalid', 'The file has no readable track.');
  return toFacts(facts, mimeType);
}

/** The tracks decide: an MP4 without a picture is an audio file, and an M4A with one is a video. */
function toFacts(found: ContainerFacts, sniffed: string): MediaFacts {
  const durationSeconds = Math.round(found.durationSeconds * 1000) / 1000;
  if (!(durationSeconds > 0)) throw new MediaRefused('upload_invalid', 'The file has no duration.');
  const isMp4 = sniffed === 'video/mp4' || sniffed === 'audio/mp4';
  const mimeType = isMp4 ? (found.videoTracks > 0 ? 'video/mp4' : 'audio/mp4') : sniffed;
  if (mimeType.startsWith('audio/')) {
    if (found.audioTracks === 0) throw new MediaRefused('upload_invalid', 'The file has no audio track.');
    return { kind: 'audio', mimeType, width: null, height: null, durationSeconds };
  }
  if (found.videoTracks === 0) throw new MediaRefused('upload_invalid', 'The file has no video track.');
  if (!found.width || !found.height) throw new MediaRefused('upload_invalid', 'The video has no frame size.');
  const { width, height, transparent } = found;
  return { kind: 'video', mimeType, width, height, durationSeconds, ...(transparent ? { transparent } : {}) };
}

export function required(result: ProbeResult): ProbeResult {
  if (result.answer.readable) return result;
  throw new MediaRefused('upload_invalid', result.answer.detail ?? 'The file cannot be decoded.');
}
