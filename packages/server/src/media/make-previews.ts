import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { PacketCopy } from './copy-packets.ts';
import { OUTPUT_BOUNDS } from './inspect-media.ts';
import { type MediaFacts, MediaRefused } from './media-facts.ts';
import { FILE_DEADLINE_MS, type MediaTools } from './media-tools.ts';
import { createPeakMeter, type PeakMeter } from './peak-meter.ts';
import type { ProbeRequest } from './probe/probe-protocol.ts';
import { readWithFfmpeg } from './read-with-ffmpeg.ts';

export interface PreviewFile {
  path: string;
  mimeType: string;
  bytes: number;
}

export interface Previews {
  thumbnail: PreviewFile;
  /** A full frame of a video. */
  poster?: PreviewFile;
  /** The peaks of a sound as JSON. */
  waveform?: PreviewFile;
}

const POSTER_PIXELS = 1280;
const POSTER_AT = 0.1;
/** How a frame is encoded: small, or with transparency. */
const FRAME_FORMATS = {
  opaque: {
    name: 'poster.jpg',
    mimeType: 'image/jpeg',
    start: Buffer.of(0xff, 0xd8, 0xff),
    decode: [] as string[],
    encode: ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p', '-q:v', '3'],
  },
  transparent: {
    name: 'poster.png',
    mimeType: 'image/png',
    start: Buffer.of(0x89, 0x50, 0x4e, 0x47),
    // ffmpeg's default decoder drops the second stream, which holds the alpha.
    decode: ['-c:v', 'libvpx-vp9'],
    encode: ['-c:v', 'png', '-pix_fmt', 'rgba'],
  },
};
type FrameFormat = (typeof FRAME_FORMATS)[keyof typeof FRAME_FORMATS];
const MAX_POSTER_BYTES = 8 * 1024 * 1024;
const MAX_FRAME_PIXELS = 8192 * 8192;

const WAVEFORM_PEAKS = 1000;
const WAVEFORM_RATE = 8000;
const WAVEFORM_CHANNELS = 2;
const MAX_WAVEFORM_SECONDS = 7200;
/** How much longer the decoded sound may be than the measured duration before the file is refused. */
const DURATION_SLACK = 1.05;
const DURATION_SLACK_SECONDS = 2;

interface PreviewJob {
  path: string;
  facts: MediaFacts;
  outDir: string;
  /** Made in the same run of ffmpeg where possible: to start ffmpeg costs more than to read a short file. */
  copy?: PacketCopy | null;
}

/** Makes the previews of a file. Every kind has one. */
export async function makePreviews(tools: MediaTools, job: PreviewJob): Promise<Previews> {
  const { path, facts, outDir } = job;
  switch (facts.kind) {
    case 'video':
      return previewVideo(tools, job);
    case 'audio':
      return previewAudio(tools, job);
    case '3d':
      return draw(tools, { request: { task: 'model' }, path, outDir });
    case 'text':
      return draw(tools, { request: { task: 'text', mimeType: facts.mimeType }, path, outDir });
    case 'image':
      return facts.mimeType === 'image/svg+xml'
        ? draw(tools, { request: { task: 'svg' }, path, outDir })
        : draw(tools, { request: { task: 'image', bounds: OUTPUT_BOUNDS }, path, outDir });
  }
}

export async function writeThumbnail(outDir: string, picture: Buffer): Promise<PreviewFile> {
  return writePreview({ path: join(outDir, 'thumbnail.webp'), mimeType: 'image/webp', content: picture });
}

async function draw(
  tools: MediaTools,
  { request, path, outDir }: { request: ProbeRequest; path: string | null; outDir: string },
): Promise<{ thumbnail: PreviewFile }> {
  const { answer, picture } = await tools.probe({ request, path });
  if (!answer.readable || picture.length === 0) {
    throw new MediaRefused('upload_invalid', answer.detail ?? 'No preview can be made of the file.');
  }
  return { thumbnail: await writeThumbnail(outDir, picture) };
}

async function previewVideo(tools: MediaTools, { path, facts, outDir, copy }: PreviewJob): Promise<Previews> {
  const format = FRAME_FORMATS[facts.transparent && facts.mimeType === 'video/webm' ? 'transparent' : 'opaque'];
  const atSeconds = (facts.durationSeconds ?? 0) * POSTER_AT;
  const { frame, name, mimeType } =
    (copy ? await grabFrame(tools, { path, atSeconds, format, copy }) : null) ??
    // A run that made the copy had no error: it would find no frame there either.
    (copy?.isTaken() ? null : await grabFrame(tools, { path, atSeconds, format })) ??
    (await grabFrame(tools, { path, atSeconds: 0, format })) ??
    (await grabFrame(tools, { path, atSeconds: 0, format: FRAME_FORMATS.opaque })) ??
    refuse('No frame of the video can be decoded.');
  const poster = await writePreview({ path: join(outDir, name), mimeType, content: frame });
  const request = { task: 'image', bounds: OUTPUT_BOUNDS } as const;
  return { ...(await draw(tools, { request, path: poster.path, outDir })), poster };
}

function refuse(detail: string): never {
  throw new MediaRefused('upload_invalid', detail);
}

async function grabFrame(
  tools: MediaTools,
  job: { path: string; atSeconds: number; format: FrameFormat; copy?: PacketCopy },
): Promise<{ frame: Buffer; name: string; mimeType: string } | null> {
  const { format, ...file } = job;
  // Square pixels, then at most the poster's side, even a narrow one.
  const scale = `scale='max(2,trunc(iw*sar))':ih,setsar=1,scale='min(${POSTER_PIXELS},iw)':'min(${POSTER_PIXELS},ih)':force_original_aspect_ratio=decrease:flags=bicubic`;
  const { ok, output } = await readWithFfmpeg(tools, {
    ...file,
    decode: ['-max_pixels', `${MAX_FRAME_PIXELS}`, ...format.decode, '-ss', job.atSeconds.toFixed(3)],
    stream: 'V:0',
    encode: ['-frames:v', '1', '-an', '-sn', '-dn', '-vf', scale, ...format.encode, '-f', 'image2pipe'],
    deadlineMs: FILE_DEADLINE_MS,
    maxOutputBytes: MAX_POSTER_BYTES,
  });
  const { name, mimeType, start } = format;
  return ok && output.subarray(0, start.length).equals(start) ? { frame: output, name, mimeType } : null;
}

async function previewAudio(tools: MediaTools, { path, facts, outDir, copy }: PreviewJob): Promise<Previews> {
  const meter =
    (copy ? await measurePeaks(tools, { path, copy }) : null) ??
    (await measurePeaks(tools, { path })) ??
    refuse('The audio cannot be decoded.');
  const decodedSeconds = meter.samples() / WAVEFORM_CHANNELS / WAVEFORM_RATE;
  if (decodedSeconds > (facts.durationSeconds ?? 0) * DURATION_SLACK + DURATION_SLACK_SECONDS) {
    refuse('The audio is longer than the file declares.');
  }
  const peaks = meter.peaks(WAVEFORM_PEAKS);
  const content = Buffer.from(JSON.stringify({ version: 1, durationSeconds: facts.durationSeconds, peaks }));
  const waveform = await writePreview({ path: join(outDir, 'waveform.json'), mimeType: 'application/json', content });
  return { ...(await draw(tools, { request: { task: 'waveform', peaks }, path: null, outDir })), waveform };
}

/** Null when no sound can be decoded. */
async function measurePeaks(tools: MediaTools, file: { path: string; copy?: PacketCopy }): Promise<PeakMeter | null> {
  const meter = createPeakMeter();
  const { ok } = await readWithFfmpeg(tools, {
    ...file,
    decode: [],
    stream: 'a:0',
    encode: [
      ...['-vn', '-sn', '-dn', '-t', `${MAX_WAVEFORM_SECONDS}`],
      ...['-ac', `${WAVEFORM_CHANNELS}`, '-ar', `${WAVEFORM_RATE}`, '-f', 's16le'],
    ],
    deadlineMs: FILE_DEADLINE_MS,
    maxOutputBytes: MAX_WAVEFORM_SECONDS * WAVEFORM_RATE * WAVEFORM_CHANNELS * 2 + 65536,
    onOutput: meter.add,
  });
  return ok && meter.samples() > 0 ? meter : null;
}

async function writePreview({
  path,
  mimeType,
  content,
}: {
  path: string;
  mimeType: string;
  content: Buffer;
}): Promise<PreviewFile> {
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(path, content);
  return { path, mimeType, bytes: content.length };
}
