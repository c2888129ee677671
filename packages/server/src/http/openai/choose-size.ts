import type { ParamDescriptor, ParamValues } from '@atelier/contract';

const RATIO = /^(\d+(?:\.\d+)?):(\d+(?:\.\d+)?)$/;
/** `2k` counts the side of a square with as many pixels; `720p` counts the shorter side. */
const RESOLUTION = /^(\d+(?:\.\d+)?)(k|p)$/i;
const K = 1_024;
/** How far the shape may be from the requested one. 1792x1024 is 1.6 % from 16:9. */
const MAX_RATIO_ERROR = 0.08;

interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * The aspect ratio and the resolution that come closest to a size. Null if the model offers neither, or no similar shape. The
 * result may cost more than the default: the ceiling of the request still holds.
 */
export function chooseSize(params: readonly ParamDescriptor[], text: string): ParamValues | null {
  const [width, height] = text.split('x').map(Number) as [number, number];
  const ratio = chooseRatio(valuesOf(params, 'aspect_ratio'), { width, height });
  const resolution = chooseResolution(valuesOf(params, 'resolution'), { width, height });
  if (ratio === null || (ratio === undefined && resolution === undefined)) return null;
  return {
    ...(ratio === undefined ? {} : { aspect_ratio: ratio }),
    ...(resolution === undefined ? {} : { resolution }),
  };
}

function valuesOf(params: readonly ParamDescriptor[], name: string): string[] {
  const found = params.find((param) => param.name === name);
  return found?.kind === 'enum' ? found.values.map(String) : [];
}

/** Undefined if the model offers no ratios, null if none is similar. */
function chooseRatio(values: readonly string[], { width, height }: Size): string | null | undefined {
  const rated = values.flatMap((value) => {
    const found = RATIO.exec(value);
    return found === null
      ? []
      : [{ value, error: Math.abs(Math.log((Number(found[1]) / Number(found[2])) * (height / width))) }];
  });
  if (rated.length === 0) return undefined;
  const best = rated.reduce((a, b) => (b.error < a.error ? b : a));
  return best.error <= MAX_RATIO_ERROR ? best.value : null;
}

function chooseResolution(values: readonly string[], { width, height }: Size): string | undefined {
  const rated = values.flatMap((value) => {
    const found = RESOLUTION.exec(value);
    if (found === null) return [];
    const isK = found[2]?.toLowerCase() === 'k';
    const wanted = isK ? Math.sqrt(width * height) : Math.min(width, height);
    return [{ value, error: Math.abs(Math.log((Number(found[1]) * (isK ? K : 1)) / wanted)) }];
  });
  return rated.length === 0 ? undefined : rated.reduce((a, b) => (b.error < a.error ? b : a)).value;
}
