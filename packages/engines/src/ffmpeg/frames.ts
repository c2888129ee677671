import { once } from 'node:events';
import { runProgram, startProgram } from '../run-program.ts';
import { fromUpload } from './video-encoding.ts';

/** Reserved for closing the file, which ffmpeg does not report. */
const ALMOST = 0.99;

/** Runs ffmpeg and reports the seconds written as progress. */
export async function runFfmpeg(options: {
  ffmpeg: string;
  args: readonly string[];
  cwd: string;
  /** How long the result will be. */
  seconds: number;
  report: (progress: number) => void;
}): Promise<void> {
  await runProgram({
    path: options.ffmpeg,
    args: ['-nostdin', '-v', 'error', '-y', '-progress', 'pipe:2', '-stats_period', '0.25', ...options.args],
    cwd: options.cwd,
    onLine: (line) => {
      const done = readProgress(line);
      if (done !== null) options.report(Math.min(ALMOST, done / options.seconds));
    },
  });
}

/** Seconds written so far, from a line of `-progress`. */
export function readProgress(line: string): number | null {
  const found = /^out_time_us=(\d+)$/.exec(line.trim());
  return found === null ? null : Number(found[1]) / 1_000_000;
}

/** The frames of a clip as raw RGB, in order, at the given size and rate. */
export async function* readFrames(options: {
  ffmpeg: string;
  path: string;
  videoIndex: number;
  width: number;
  height: number;
  fps: number;
  cwd: string;
}): AsyncGenerator<Buffer> {
  const { ffmpeg, path, videoIndex, width, height, fps, cwd } = options;
  const size = width * height * 3;
  const args = [
    ...['-nostdin', '-v', 'error', ...fromUpload(path), '-map', `0:${videoIndex}`],
    ...['-vf', `scale=${width}:${height}:flags=bicubic,setsar=1,fps=${fps}`],
    ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', 'pipe:1'],
  ];
  const { child, ended } = startProgram({ path: ffmpeg, args, cwd });
  child.stdin.end();
  try {
    let frame = Buffer.allocUnsafe(size);
    let filled = 0;
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      for (let at = 0; at < piece.length; ) {
        const taken = piece.copy(frame, filled, at);
        [at, filled] = [at + taken, filled + taken];
        if (filled < size) continue;
        yield frame;
        [frame, filled] = [Buffer.allocUnsafe(size), 0];
      }
    }
    await ended;
  } finally {
    child.kill('SIGKILL');
  }
}

/**
 * Writes raw frames to ffmpeg one by one, with backpressure, so that only a few are in memory. `args` define the other
 * inputs and the outputs. If a frame fails, ffmpeg is stopped.
 */
export async function writeFrames(options: {
  ffmpeg: string;
  cwd: string;
  width: number;
  height: number;
  fps: number;
  pixels: 'rgb24' | 'rgba';
  args: readonly string[];
  frames: AsyncIterable<Buffer>;
}): Promise<void> {
  const { ffmpeg, cwd, width, height, fps, pixels, args, frames } = options;
  const source = ['-f', 'rawvideo', '-pix_fmt', pixels, '-s', `${width}x${height}`, '-r', `${fps}`, '-i', 'pipe:0'];
  const fixed = ['-nostdin', '-v', 'error', '-y', '-protocol_whitelist', 'file,pipe'];
  const { child, ended } = startProgram({ path: ffmpeg, args: [...fixed, ...source, ...args], cwd });
  child.stdout.resume();
  try {
    for await (const frame of frames) {
      // ffmpeg may finish before the last frame.
      if (child.exitCode === 0) break;
      if (!child.stdin.write(frame)) await Promise.race([once(child.stdin, 'drain'), ended]);
    }
    child.stdin.end();
    await ended;
  } finally {
    child.kill('SIGKILL');
  }
}
