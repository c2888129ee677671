import type { ParamValue } from '@atelier/contract';

/** Width divided by height of an `aspect_ratio` such as "16:9"; null for "original", "auto" and invalid values. */
export function parseAspect(value: ParamValue | undefined): number | null {
  const match = typeof value === 'string' ? /^(\d+):(\d+)$/.exec(value) : null;
  return match === null ? null : Number(match[1]) / Number(match[2]);
}
