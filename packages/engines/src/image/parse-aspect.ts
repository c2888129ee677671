import type { ParamValue } from '@atelier/contract';

/** Width by height of an `aspect_ratio` such as "16:9"; null for "original", "auto" and what is no ratio. */
export function parseAspect(value: ParamValue | undefined): number | null {
  const match = typeof value === 'string' ? /^(\d+):(\d+)$/.exec(value) : null;
  return match === null ? null : Number(match[1]) / Number(match[2]);
}
