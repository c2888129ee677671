import { lstat, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FFMPEG_READ_OPTIONS } from '@atelier/contract';
import { followCopyPlan } from './clean/copy-plan.ts';
import { MediaRefused } from './media-facts.ts';
import type { MediaTools } from './media-tools.ts';
import { sniffType } from './sniff-type.ts';

const PICTURES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png', 'image/webp']);

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

const COPY_DEADLINE_MS = 60_000;
/** A copy of the same packets may need a longer index, never a multiple. */
const MAX_GROWTH = 1.5;
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

async function copyPackets(
  tools: MediaTools,
  { path, mimeType, outPath }: { path: string; mimeType: string; outPath: string },
): Promise<void> {
  const container = CONTAINERS[mimeType];
  if (!container) throw new MediaRefused('upload_invalid', 'Unsupported file type.');
  const { size } = await stat(path);
  const dir = await mkdtemp(join(dirname(outPath), 'clean-'));
  const copy = join(dir, 'copy');
  try {
    const { ok } = await tools.runProgram({
      program: 'ffmpeg',
      args: (place) => [
        ...['-v', 'error', '-nostdin', '-xerror', '-threads', '1'],
        ...FFMPEG_READ_OPTIONS,
        ...['-i', `file:${place(path)}`, '-c', 'copy', '-sn', '-dn'],
        ...['-map_metadata', '-1', '-map_metadata:s', '-1', '-map_chapters', '-1'],
        ...['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact'],
        ...container,
        ...['-y', `file:${place(copy)}`],
      ],
      mounts: [
        { from: path, to: '/in/file' },
        { from: dir, to: '/out', writable: true },
      ],
      deadlineMs: COPY_DEADLINE_MS,
      maxOutputBytes: 0,
      maxFileBytes: Math.ceil(size * MAX_GROWTH) + MAX_GROWTH_BYTES,
    });
    // The confined program may have left anything there: only a regular file is accepted.
    const made = ok ? await lstat(copy).catch(() => null) : null;
    if (!made?.isFile() || made.size === 0)
      throw new MediaRefused('upload_invalid', 'The file cannot be copied completely.');
    await rename(copy, outPath);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function requireSameType({ outPath, mimeType }: { outPath: string; mimeType: string }): Promise<void> {
  const type = await sniffType({ path: outPath, purpose: 'upload' });
  if (type.mimeType !== mimeType)
    throw new MediaRefused('upload_invalid', 'The file does not match its declared type.');
}
