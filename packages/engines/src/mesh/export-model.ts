import { join } from 'node:path';
import type { DownloadFormat, EngineOutput } from '../engine.ts';
import { runProgram } from '../run-program.ts';
import type { SolidModel } from './solid-model.ts';
import { writeGlb } from './write-glb.ts';
import { writeObj } from './write-obj.ts';
import { writeStl } from './write-stl.ts';
import { writeUsdz } from './write-usdz.ts';

/** Writes the model as GLB, OBJ, STL, USDZ and FBX. */
export async function exportModel(
  model: SolidModel,
  options: { dir: string; name: string; assimpPath: string },
): Promise<EngineOutput> {
  const { dir, name } = options;
  const pathOf = (format: string) => join(dir, `${name}.${format}`);
  await writeGlb(model, pathOf('glb'));
  await writeObj(model, pathOf('obj'));
  await writeStl(model, pathOf('stl'));
  await writeUsdz(model, pathOf('usdz'));
  // FBX stores display colours, and the converter copies values unchanged.
  await writeGlb(model, pathOf('display.glb'), { colours: 'display' });
  await runProgram({ path: options.assimpPath, args: ['export', `${name}.display.glb`, `${name}.fbx`], cwd: dir });
  const formats: DownloadFormat[] = ['obj', 'fbx', 'usdz', 'stl'];
  return { path: pathOf('glb'), downloads: formats.map((format) => ({ format, path: pathOf(format) })) };
}
