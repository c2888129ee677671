import sharp from 'sharp';
import type { Glb } from './read-glb.ts';

export interface Texture {
  pixels: Uint8Array;
  width: number;
  height: number;
}

/** Linear colour factors and, where there is one, the picture they multiply. */
export interface Material {
  red: number;
  green: number;
  blue: number;
  alpha: number;
  /** Pixels below half alpha are holes. */
  masked: boolean;
  unlit: boolean;
  texture: Texture | null;
}

/** Neutral clay for parts without a material. */
export const PLAIN_MATERIAL: Material = {
  red: 0.52,
  green: 0.54,
  blue: 0.58,
  alpha: 1,
  masked: false,
  unlit: false,
  texture: null,
};

const MAX_MATERIALS = 1024;
const MAX_TEXTURES = 32;
const MAX_TEXTURE_PIXELS = 8192 * 8192;
/** Finer than the picture shows. */
const TEXTURE_SIDE_PIXELS = 1024;

export async function readMaterials(glb: Glb): Promise<Material[]> {
  const textures = new Map<number, Texture | null>();
  const materials: Material[] = [];
  for (const material of (glb.document.materials ?? []).slice(0, MAX_MATERIALS)) {
    const surface = material.pbrMetallicRoughness ?? {};
    const [red = 1, green = 1, blue = 1, alpha = 1] = (surface.baseColorFactor ?? []).map(unit);
    const index = surface.baseColorTexture?.index;
    if (index !== undefined && !textures.has(index) && textures.size < MAX_TEXTURES) {
      textures.set(index, await readTexture(glb, index));
    }
    materials.push({
      red,
      green,
      blue,
      alpha,
      masked: material.alphaMode === 'MASK' || material.alphaMode === 'BLEND',
      unlit: material.extensions !== undefined && 'KHR_materials_unlit' in material.extensions,
      texture: index === undefined ? null : (textures.get(index) ?? null),
    });
  }
  return materials;
}

/** A texture that cannot be read leaves its material plain. */
async function readTexture({ document, binary }: Glb, index: number): Promise<Texture | null> {
  const source = document.textures?.[index]?.source;
  const view = document.bufferViews?.[document.images?.[source ?? -1]?.bufferView ?? -1];
  if (!view) return null;
  const start = view.byteOffset ?? 0;
  const encoded = binary.subarray(start, start + (view.byteLength ?? 0));
  try {
    const { data, info } = await sharp(encoded, { limitInputPixels: MAX_TEXTURE_PIXELS, failOn: 'error' })
      .resize(TEXTURE_SIDE_PIXELS, TEXTURE_SIDE_PIXELS, { fit: 'inside', withoutEnlargement: true })
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return info.channels === 4 ? { pixels: data, width: info.width, height: info.height } : null;
  } catch {
    return null;
  }
}

function unit(value: number): number {
  return Number.isFinite(value) ? Math.min(1, Math.max(0, value)) : 1;
}
