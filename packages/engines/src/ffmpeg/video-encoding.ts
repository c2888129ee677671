import { FFMPEG_READ_OPTIONS } from '@atelier/contract';

/** Outputs contain no metadata of the upload or of the encoder. */
const CLEAN = ['-map_metadata', '-1', '-map_chapters', '-1', '-fflags', '+bitexact', '-flags:v', '+bitexact'];
const AUDIO_BITRATE = '160k';

/** One upload as an input, without following references to other files. */
export function fromUpload(path: string, before: readonly string[] = []): string[] {
  return [...before, ...FFMPEG_READ_OPTIONS, '-i', `file:${path}`];
}

/** Supported by every browser: H.264 and AAC, with the index at the start. */
export function toMp4(options: { path: string; threads: number; seconds: number; crf?: number }): string[] {
  return [
    ...['-t', options.seconds.toFixed(3)],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', `${options.crf ?? 20}`, '-pix_fmt', 'yuv420p'],
    ...['-threads', `${options.threads}`, '-c:a', 'aac', '-b:a', AUDIO_BITRATE, '-ac', '2', '-ar', '48000'],
    ...[...CLEAN, '-flags:a', '+bitexact', '-movflags', '+faststart', '-f', 'mp4', `file:${options.path}`],
  ];
}

/** VP9 with an alpha channel, and Opus. */
export function toAlphaWebm(options: { path: string; threads: number; seconds: number }): string[] {
  return [
    ...['-t', options.seconds.toFixed(3)],
    // Delayed frames would lose their alpha.
    ...['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuva420p', '-auto-alt-ref', '0', '-crf', '30', '-b:v', '0'],
    ...['-deadline', 'realtime', '-cpu-used', '6', '-row-mt', '1', '-threads', `${options.threads}`],
    ...['-c:a', 'libopus', '-b:a', '128k', '-ac', '2', ...CLEAN, '-f', 'webm', `file:${options.path}`],
  ];
}
