import { join } from 'node:path';
import type { ParamValues } from '@atelier/contract';
import sharp from 'sharp';
import { parseAspect } from '../image/parse-aspect.ts';
import { openStudio } from '../mesh/render-scene.ts';
import type { SolidModel } from '../mesh/solid-model.ts';
import { type BackdropName, backdrops } from '../mesh/studio.ts';

/** The longer side of an image. */
const SIDES: Readonly<Record<string, number>> = { '512': 512, '1k': 1_024, '2k': 2_048 };
const YAW = 0.52;
const PITCH = 0.2;

/** One image of the model from its best angle. `style` is the backdrop. */
export async function photographModel(
  model: SolidModel,
  options: { params: ParamValues; dir: string },
): Promise<string> {
  const { params, dir } = options;
  const side = SIDES[String(params.resolution)] ?? 1_024;
  const ratio = parseAspect(params.aspect_ratio) ?? 1;
  const [width, height] = ratio >= 1 ? [side, Math.round(side / ratio)] : [Math.round(side * ratio), side];
  const backdrop = backdrops[params.style as BackdropName];
  const takePicture = openStudio(model, { width, height, yaw: YAW, pitch: PITCH, turning: false, backdrop });
  const picture = sharp(takePicture(0), { raw: { width, height, channels: 4 } });
  const path = join(dir, 'picture.png');
  await (backdrop ? picture.removeAlpha() : picture).png().toFile(path);
  return path;
}
