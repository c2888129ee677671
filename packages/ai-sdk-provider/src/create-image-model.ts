import { type ImageModelV4, type ImageModelV4File, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { decodeBase64 } from './decode-base64.ts';
import { writeShape } from './image-shape.ts';
import type { ParamWriter } from './param-writer.ts';
import { type ModelKind, type ModelRunner, PROVIDER } from './run-model.ts';

export function createImageModel(runner: ModelRunner, modelId: string): ImageModelV4 {
  const kind: ModelKind = { modelId, modelType: 'imageModel', fits: ({ modality }) => modality === 'image' };
  return {
    specificationVersion: 'v4',
    provider: `${PROVIDER}.image`,
    modelId,
    async maxImagesPerCall() {
      const count = (await runner.describe(kind)).params.find(({ name }) => name === 'num_outputs');
      return count?.kind === 'range' ? count.max : 1;
    },
    async doGenerate(options) {
      const { generation, warnings, files } = await runner.run(kind, options, (writer) => {
        writer.set('prompt', options.prompt, 'prompt');
        writeCount(writer, options.n);
        writeShape(writer, options);
        writer.set('seed', options.seed, 'seed');
        writer.attach(['images', 'image'], (options.files ?? []).map(toBytes), 'images');
        writer.attach(['mask'], options.mask === undefined ? [] : [toBytes(options.mask)], 'masks');
      });
      const { id, coinsCharged, outputs } = generation;
      return {
        images: files,
        // The generation is paid for, so an empty result must not start another.
        isRetryable: false,
        warnings,
        response: { timestamp: new Date(generation.createdAt), modelId, headers: undefined },
        providerMetadata: {
          [PROVIDER]: {
            generationId: id,
            coinsCharged,
            images: outputs.map(({ id: assetId, mimeType, width, height }) => {
              return { generationId: id, assetId, mimeType, width, height };
            }),
          },
        },
      };
    },
  };
}

/** The AI SDK asks for no more than `maxImagesPerCall`, unless the caller set another number. */
function writeCount(writer: ParamWriter, n: number): void {
  if (n > 1 || writer.find('num_outputs') !== undefined) writer.set('num_outputs', n, 'n');
}

function toBytes(file: ImageModelV4File): Uint8Array {
  if (file.type === 'url') {
    const message = 'Images by URL are not supported: fetch the file and pass its bytes.';
    throw new UnsupportedFunctionalityError({ functionality: 'images by URL', message });
  }
  return typeof file.data === 'string' ? decodeBase64(file.data) : file.data;
}
