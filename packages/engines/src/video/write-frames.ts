import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { FFMPEG_ENVIRONMENT } from './ffmpeg-environment.ts';

const MAX_STDERR_BYTES = 4_096;

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
  const child = spawn(ffmpeg, [...fixed, ...source, ...args], {
    cwd,
    env: FFMPEG_ENVIRONMENT,
    stdio: ['pipe', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR_BYTES);
  });
  // The exit code says why it stopped reading.
  child.stdin.on('error', () => {});
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${ffmpeg} exited with ${signal ?? code}: ${stderr.trim()}`));
    });
  });
  ended.catch(() => {});
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
