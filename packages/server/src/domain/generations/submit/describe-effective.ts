import type { Judged } from '../../quotes/judge-request.ts';
import type { EffectiveRequest } from '../generations.store.ts';

/** What the run of a request uses: later catalog edits do not change it. */
export function describeEffective({
  effective,
  media,
  effect,
}: Pick<Judged, 'effective' | 'media' | 'effect'>): EffectiveRequest {
  return {
    params: effective,
    inputs: Object.fromEntries(media.map((ref) => [ref.param, ref.ids])),
    effectSettings: effect === null ? {} : { ...(effect.prompt && { prompt: effect.prompt }), ...effect.settings },
  };
}
