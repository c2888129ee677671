import { rm, writeFile } from 'node:fs/promises';
import sharp from 'sharp';
import type { ProducedOutput } from '../../provider.ts';
import { drawScene } from '../picture/draw-scene.ts';
import { type FrameSize, frameSize } from '../picture/frame-size.ts';
import type { RenderRequest } from '../render-request.ts';
import { encodeWav } from '../sound/encode-wav.ts';
import { synthesizeMelody } from '../sound/synthesize-melody.ts';
import { runFfmpeg } from './run-ffmpeg.ts';

const LONGEST_SIDE_PX = 320;
const WIDESCREEN = 16 / 9;
const SECONDS = 1;
const FRAMES_PER_SECOND = 12;
const FRAMES = SECONDS * FRAMES_PER_SECOND;
const SAMPLE_RATE_HZ = 22_050;
const ENCODE_TIMEOUT_MS = 20_000;
const TASKS_WITH_SOUND: ReadonlySet<string> = new Set(['video.add-audio', 'video.lipsync']);

/** A landscape that drifts for a second, as MP4. */
export async function renderVideo(request: RenderRequest): Promise<ProducedOutput> {
  const { taskType, params, caption, seed, basePath, ffmpegPath, signal } = request;
  const path = `${basePath}.mp4`;
  const size = frameSize(params.aspect_ratio, { longestPx: LONGEST_SIDE_PX, fallbackRatio: WIDESCREEN });
  const frames = await drawFrames({ caption, seed, size });
  const withSound = TASKS_WITH_SOUND.has(taskType) || params.generate_audio === true;
  const soundPath = withSound ? await writeSound({ seed, basePath }) : null;
  const args = encodeArgs({ size, soundPath, path });
  await runFfmpeg({ ffmpegPath, args, stdin: frames, timeoutMs: ENCODE_TIMEOUT_MS, signal });
  if (soundPath !== null) await rm(soundPath);
  return { path };
}

async function drawFrames(scene: { caption: string; seed: string; size: FrameSize }): Promise<Buffer> {
  const frames: Buffer[] = [];
  for (let index = 0; index < FRAMES; index++) {
    const svg = drawScene({ ...scene, phase: index / FRAMES });
    frames.push(await sharp(Buffer.from(svg)).removeAlpha().raw().toBuffer());
  }
  return Buffer.concat(frames);
}

async function writeSound({ seed, basePath }: { seed: string; basePath: string }): Promise<string> {
  const path = `${basePath}.sound.wav`;
  const samples = synthesizeMelody({ seed, seconds: SECONDS, sampleRateHz: SAMPLE_RATE_HZ });
  await writeFile(path, encodeWav(samples, { sampleRateHz: SAMPLE_RATE_HZ }));
  return path;
}

function encodeArgs(options: { size: FrameSize; soundPath: string | null; path: string }): string[] {
  const { size, soundPath, path } = options;
  return [
    ...['-nostdin', '-v', 'error', '-y', '-protocol_whitelist', 'file,pipe'],
    ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${size.widthPx}x${size.heightPx}`],
    ...['-r', `${FRAMES_PER_SECOND}`, '-i', 'pipe:0'],
    ...(soundPath === null ? [] : ['-f', 'wav', '-i', `file:${soundPath}`, '-c:a', 'aac']),
    ...['-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1', '-pix_fmt', 'yuv420p'],
    // No build or time information in the file: the same request gives the same bytes.
    ...['-fflags', '+bitexact', '-flags:v', '+bitexact', '-flags:a', '+bitexact'],
    ...['-movflags', '+faststart', '-f', 'mp4', `file:${path}`],
  ];
}
