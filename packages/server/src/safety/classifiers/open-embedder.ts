import { join } from 'node:path';

const DIMENSIONS = 384;
const MAX_TOKENS = 256;

export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

/** Opens the sentence model: texts in, vectors of length 1 out. */
export async function openEmbedder(folder: string): Promise<Embed> {
  const { createEmbedder } = await import('@lat.md/embed');
  const embedder = await createEmbedder({
    model: {
      id: 'minilm-l6-v2',
      dimensions: DIMENSIONS,
      maxTokens: MAX_TOKENS,
      pooling: 'mean',
      normalize: true,
      weightsPath: join(folder, 'model.fp16.safetensors'),
      tokenizerPath: join(folder, 'tokenizer.json'),
      configPath: join(folder, 'config.json'),
    },
  });
  return async (texts) => {
    const vectors: Float32Array[] = [];
    // One at a time: given many, the package starts threads that each load the whole model again.
    for (const text of texts) vectors.push(Float32Array.from((await embedder.embed([text]))[0]!));
    return vectors;
  };
}
