import type { ImageResponseFormat, ImagesResponse } from '@atelier/contract/openai';
import type { OpenaiUse } from '../../../domain/catalog/catalog.ts';
import { findOpenaiAlias } from '../../../domain/catalog/openai-alias.ts';
import type { OpenaiAnswer, OpenaiContext, OpenaiInput, OpenaiRoutes } from '../openai-handler.ts';
import { MASK_FIELD } from '../read-form.ts';
import { streamImages } from '../read-output.ts';
import { makeNow } from '../run-call.ts';

type ImageId = 'createImage' | 'editImage' | 'varyImage';

/** As OpenAI's current image models answer. */
const DEFAULT_FORMAT: ImageResponseFormat = 'b64_json';

export const imageRoutes: OpenaiRoutes<ImageId> = {
  createImage: (context, input) => makeImages(context, input, 'generations'),
  editImage: (context, input) =>
    makeImages(context, input, input.files.some(({ field }) => field === MASK_FIELD) ? 'masked-edits' : 'edits'),
  varyImage: (context, input) => makeImages(context, input, 'variations'),
};

async function makeImages(
  context: OpenaiContext,
  input: OpenaiInput<ImageId>,
  use: OpenaiUse,
): Promise<OpenaiAnswer<ImagesResponse>> {
  const generation = await makeNow(context, input, use);
  const alias = findOpenaiAlias(context.services.catalog(), { use, name: input.fields.model });
  const format = input.fields.response_format ?? alias?.responseFormat ?? DEFAULT_FORMAT;
  const created = Math.floor(Date.parse(generation.createdAt) / 1000);
  if (format === 'url') return { json: { created, data: generation.outputs.map(({ url }) => ({ url })) } };
  return { file: await streamImages(context.services, { outputs: generation.outputs, created }) };
}
