import { spawn } from 'node:child_process';
import { FFMPEG_ENVIRONMENT } from './ffmpeg-environment.ts';
import { fromUpload } from './video-encoding.ts';

const MAX_STDERR_BYTES = 4_096;

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
  const child = spawn(ffmpeg, args, { cwd, env: FFMPEG_ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'] });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr = (stderr + chunk).slice(-MAX_STDERR_BYTES);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  ended.catch(() => {});
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
    const code = await ended;
    if (code !== 0) throw new Error(`${ffmpeg} exited with ${code}: ${stderr.trim()}`);
  } finally {
    child.kill('SIGKILL');
  }
}
