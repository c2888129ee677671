import { execFileSync } from 'node:child_process';

const MAX_BYTES = 64 * 1024 * 1024;

/** One frame of a clip, by its number, as raw pixels. */
export function readFrame(path: string, index: number, pixels: 'rgb24' | 'rgba' = 'rgb24'): Buffer {
  // Only this decoder returns the alpha of VP9.
  const decoder = path.endsWith('.webm') ? ['-c:v', 'libvpx-vp9'] : [];
  const chosen = ['-vf', `select=eq(n\\,${index})`, '-frames:v', '1'];
  return execFileSync(
    'ffmpeg',
    ['-nostdin', '-v', 'error', ...decoder, '-i', path, ...chosen, '-f', 'rawvideo', '-pix_fmt', pixels, 'pipe:1'],
    { maxBuffer: MAX_BYTES },
  );
}
