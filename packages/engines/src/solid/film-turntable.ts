import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ParamValues } from '@atelier/contract';
import { parseAspect } from '../image/parse-aspect.ts';
import { openStudio } from '../mesh/render-scene.ts';
import type { SolidModel } from '../mesh/solid-model.ts';
import { type BackdropName, backdrops } from '../mesh/studio.ts';

const FRAMES_PER_SECOND = 24;
/** The shorter side of the video. */
const SIDES: Readonly<Record<string, number>> = { '360p': 360, '480p': 480, '720p': 720 };
const PITCH = 0.2;
const FIRST_TURN = -0.52;

/** One full rotation of the model, so that the video loops. `style` is the backdrop. */
export async function filmTurntable(
  model: SolidModel,
  options: { params: ParamValues; dir: string; ffmpegPath: string; report: (progress: number) => void },
): Promise<string> {
  const { params, report } = options;
  const side = SIDES[String(params.resolution)] ?? 480;
  const ratio = parseAspect(params.aspect_ratio) ?? 1;
  const even = (length: number) => Math.round(length / 2) * 2;
  const [width, height] = ratio >= 1 ? [even(side * ratio), side] : [side, even(side / ratio)];
  const backdrop = backdrops[params.style as BackdropName] ?? backdrops.white;
  const takePicture = openStudio(model, { width, height, yaw: 0, pitch: PITCH, turning: true, backdrop });
  const frames = Math.round(Number(params.duration ?? 4) * FRAMES_PER_SECOND);

  const path = join(options.dir, 'turntable.mp4');
  const encoder = spawn(
    options.ffmpegPath,
    `-nostdin -protocol_whitelist file,pipe -v error -y -f rawvideo -pix_fmt rgba -s ${width}x${height} -r ${FRAMES_PER_SECOND} -i pipe:0 -an -c:v libx264 -preset medium -crf 17 -pix_fmt yuv420p -movflags +faststart`
      .split(' ')
      .concat(path),
    { cwd: options.dir, stdio: ['pipe', 'ignore', 'pipe'] },
  );
  let stderr = '';
  encoder.stderr.on('data', (piece: Buffer) => {
    stderr = (stderr + piece.toString('utf8')).slice(-2_000);
  });
  encoder.stdin.on('error', () => {});
  const ended = once(encoder, 'close');
  for (let frame = 0; frame < frames; frame++) {
    const picture = takePicture(FIRST_TURN + (frame / frames) * 2 * Math.PI);
    if (!encoder.stdin.write(picture)) await Promise.race([once(encoder.stdin, 'drain'), ended]);
    report(0.02 + (0.96 * (frame + 1)) / frames);
  }
  encoder.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`ffmpeg exited with ${code}: ${stderr.trim()}`);
  return path;
}
