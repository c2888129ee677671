import { lstat, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FFMPEG_READ_OPTIONS } from '@atelier/contract';
import type { Mount } from '../confine/confinement.ts';
import { MediaRefused } from './media-facts.ts';
import type { MediaTools } from './media-tools.ts';

/** ffmpeg's options for each container, with an explicit format so that the type stays the same. */
const CONTAINERS: Readonly<Record<string, string[]>> = {
  'audio/mpeg': ['-map', '0:a:0', '-id3v2_version', '0', '-f', 'mp3'],
  'audio/wav': ['-map', '0:a:0', '-f', 'wav'],
  'audio/ogg': ['-map', '0:a', '-f', 'ogg'],
  'audio/mp4': ['-map', '0:a', '-movflags', '+faststart', '-brand', 'M4A ', '-f', 'mp4'],
  'video/mp4': ['-map', '0:V', '-map', '0:a?', '-movflags', '+faststart', '-write_tmcd', '0', '-f', 'mp4'],
  'video/quicktime': ['-map', '0:V', '-map', '0:a?', '-movflags', '+faststart', '-write_tmcd', '0', '-f', 'mov'],
  'video/webm': ['-map', '0:V', '-map', '0:a?', '-f', 'webm'],
};

export const COPY_DEADLINE_MS = 60_000;
/** A copy of the same packets may need a longer index, never a multiple. */
const MAX_GROWTH = 1.5;
const MAX_GROWTH_BYTES = 1024 * 1024;

/** A copy of the packets of a file without metadata, as one output of a run of ffmpeg. */
export interface PacketCopy {
  /** Before the inputs: a copy is complete or it fails. */
  readonly before: readonly string[];
  /** The first input. */
  readonly input: (place: (outside: string) => string) => string[];
  /** The output; others may stand before it. */
  readonly output: (place: (outside: string) => string) => string[];
  readonly mounts: readonly Mount[];
  readonly maxFileBytes: number;
  /** After a run that succeeded: moves the copy to its path. False if there is none. */
  take(): Promise<boolean>;
  isTaken(): boolean;
  discard(): Promise<void>;
}

/** Null for types whose packets ffmpeg does not copy. The copy must be discarded, also when it was taken. */
export async function planPacketCopy({
  path,
  mimeType,
  outPath,
}: {
  path: string;
  mimeType: string;
  outPath: string;
}): Promise<PacketCopy | null> {
  const container = CONTAINERS[mimeType];
  if (!container) return null;
  const { size } = await stat(path);
  const dir = await mkdtemp(join(dirname(outPath), 'clean-'));
  const copy = join(dir, 'copy');
  let taken = false;
  return {
    before: ['-v', 'error', '-nostdin', '-xerror'],
    input: (place) => ['-threads', '1', ...FFMPEG_READ_OPTIONS, '-i', `file:${place(path)}`],
    output: (place) => [
      ...['-c', 'copy', '-sn', '-dn', '-map_metadata', '-1', '-map_metadata:s', '-1', '-map_chapters', '-1'],
      ...['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact'],
      ...container,
      ...['-y', `file:${place(copy)}`],
    ],
    mounts: [
      { from: path, to: '/in/file' },
      { from: dir, to: '/out', writable: true },
    ],
    maxFileBytes: Math.ceil(size * MAX_GROWTH) + MAX_GROWTH_BYTES,
    async take() {
      // The confined program may have left anything there: only a regular file is accepted.
      const made = await lstat(copy).catch(() => null);
      if (!made?.isFile() || made.size === 0) return false;
      await rename(copy, outPath);
      taken = true;
      return true;
    },
    isTaken: () => taken,
    discard: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Copies the packets in a run of their own. */
export async function copyPackets(
  tools: MediaTools,
  file: { path: string; mimeType: string; outPath: string },
): Promise<void> {
  const copy = await planPacketCopy(file);
  if (copy === null) throw new MediaRefused('upload_invalid', 'Unsupported file type.');
  try {
    const { ok } = await tools.runProgram({
      program: 'ffmpeg',
      args: (place) => [...copy.before, ...copy.input(place), ...copy.output(place)],
      mounts: copy.mounts,
      deadlineMs: COPY_DEADLINE_MS,
      maxOutputBytes: 0,
      maxFileBytes: copy.maxFileBytes,
    });
    if (!ok || !(await copy.take())) {
      throw new MediaRefused('upload_invalid', 'The file cannot be copied completely.');
    }
  } finally {
    await copy.discard();
  }
}
