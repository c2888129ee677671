import { writeFile } from 'node:fs/promises';
import type { ProducedOutput } from '../../provider.ts';
import { paletteFor } from '../picture/palette.ts';
import type { RenderRequest } from '../render-request.ts';
import { buildSolid } from './build-solid.ts';
import { encodeGlb } from './encode-glb.ts';
import { encodeObj } from './encode-obj.ts';
import { encodeStl } from './encode-stl.ts';

/** A shaded solid as GLB, with the same mesh as OBJ and STL. */
export async function renderSolid({ caption, seed, basePath }: RenderRequest): Promise<ProducedOutput> {
  const mesh = buildSolid(seed);
  const path = `${basePath}.glb`;
  const objPath = `${basePath}.obj`;
  const stlPath = `${basePath}.stl`;
  await Promise.all([
    writeFile(path, encodeGlb(mesh, { colour: paletteFor(caption).far })),
    writeFile(objPath, encodeObj(mesh)),
    writeFile(stlPath, encodeStl(mesh)),
  ]);
  return {
    path,
    downloads: [
      { format: 'obj', path: objPath },
      { format: 'stl', path: stlPath },
    ],
  };
}
