import type { ParamDescriptor } from '@atelier/sdk';
import type { ParamWriter } from './param-writer.ts';

/** Side of a square picture of the resolution 1k. */
const PIXELS_PER_K = 1024;
/** 1248x832 is 3:2, and 1344x768 is called 16:9 by many. */
const RATIO_TOLERANCE = 0.03;

/**
 * Models have an aspect ratio and a resolution, no size in pixels. A size becomes the ratio that it has and the nearest
 * resolution, with a warning, because the pixels can differ.
 */
export function writeShape(
  writer: ParamWriter,
  shape: { size: string | undefined; aspectRatio: string | undefined },
): void {
  const { size, aspectRatio } = shape;
  writer.set('aspect_ratio', aspectRatio, 'aspectRatio');
  if (size === undefined) return;
  const [width = 0, height = 0] = size.split('x').map(Number);
  const chosen: string[] = [];
  const ratio = aspectRatio === undefined ? findRatio(writer.find('aspect_ratio'), width / height) : undefined;
  if (ratio !== undefined) {
    writer.set('aspect_ratio', ratio, 'size');
    chosen.push(`aspect ratio ${ratio}`);
  }
  const resolution = findResolution(writer.find('resolution'), Math.sqrt(width * height));
  if (resolution !== undefined) {
    writer.set('resolution', resolution, 'size');
    chosen.push(`resolution ${resolution}`);
  }
  // Without its ratio a size is not met, except if the caller gave the ratio.
  const isMet = resolution !== undefined ? ratio !== undefined || aspectRatio !== undefined : ratio !== undefined;
  const used = chosen.length === 0 ? 'It has no effect' : `Used: ${chosen.join(' and ')}`;
  writer.warn(isMet ? 'compatibility' : 'unsupported', 'size', `The model takes no size in pixels. ${used}.`);
}

function findRatio(param: ParamDescriptor | undefined, wanted: number): string | undefined {
  return nearest(
    param,
    wanted,
    (value) => {
      const [width, height] = value.split(':').map(Number);
      return width !== undefined && height !== undefined ? width / height : Number.NaN;
    },
    Math.log(1 + RATIO_TOLERANCE),
  );
}

function findResolution(param: ParamDescriptor | undefined, side: number): string | undefined {
  return nearest(param, side, (value) => {
    const [, number, k] = /^(\d+)(k?)$/.exec(value) ?? [];
    return Number(number) * (k === 'k' ? PIXELS_PER_K : 1);
  });
}

/** The value of an enum whose number is nearest in proportion. */
function nearest(
  param: ParamDescriptor | undefined,
  wanted: number,
  measure: (value: string) => number,
  maxDistance = Number.POSITIVE_INFINITY,
): string | undefined {
  if (param?.kind !== 'enum' || !(wanted > 0)) return undefined;
  const [best] = param.values
    .map((value) => ({ value: String(value), distance: Math.abs(Math.log(measure(String(value)) / wanted)) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance);
  return best?.value;
}
