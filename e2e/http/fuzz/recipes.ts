import fc, { type Arbitrary } from 'fast-check';
import type { Known } from './known.ts';

type Body = Record<string, unknown>;

/** Bodies that the service is likely to accept, so that fuzzing also gets past validation. */
export function likelyBody(operation: string, known: Known): Arbitrary<Body> {
  const [imageId] = known.assetIds as [string];
  const params: Arbitrary<{ modelId: string; params: Body; consent?: true; effectId?: string }> = fc.oneof(
    fc
      .record(
        {
          prompt: fc.string({ minLength: 1, maxLength: 50 }),
          num_outputs: fc.integer({ min: 1, max: 5 }),
          seed: fc.nat(),
          resolution: fc.constantFrom('1k', '2k', '3k'),
        },
        { requiredKeys: ['prompt'] },
      )
      .map((values) => ({ modelId: 'canvas', params: values })),
    fc.constant({ modelId: 'portrait-animate', params: { image: imageId }, consent: true as const }),
    fc.constant({ modelId: 'restorer-upscale', params: { image: imageId } }),
    fc
      .record({
        effectId: fc.constantFrom(...known.effectIds),
        images: fc.array(fc.constant(imageId), { minLength: 1, maxLength: 4 }),
      })
      .map(({ effectId, images }) => ({ modelId: 'painter', effectId, params: { images } })),
    fc.record({ modelId: fc.constantFrom(...known.modelIds), params: fc.constant({ prompt: 'a' }) }),
  );
  if (operation === 'createQuote') {
    return fc.tuple(params, fc.boolean()).map(([{ consent: _consent, ...body }, draft]) => ({ ...body, draft }));
  }
  return fc.tuple(params, fc.constantFrom(1, 7, 1_000, 1_000)).map(([body, maxCoins]) => ({ ...body, maxCoins }));
}
