import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Tf from '@tensorflow/tfjs';

export interface Graph {
  readonly tf: typeof Tf;
  readonly model: Tf.GraphModel;
}

let started: Promise<typeof Tf> | null = null;

/** Opens a TensorFlow.js graph from files, on the WebAssembly backend. */
export async function openGraph(options: { folder: string; name: string }): Promise<Graph> {
  started ??= startTensorflow();
  const tf = await started;
  const [topology, weights] = await Promise.all([
    readFile(join(options.folder, `${options.name}.json`), 'utf8'),
    readFile(join(options.folder, `${options.name}.bin`)),
  ]);
  const { modelTopology, weightsManifest } = JSON.parse(topology) as Tf.io.ModelJSON;
  const model = await tf.loadGraphModel({
    load: async () => ({
      modelTopology,
      weightSpecs: weightsManifest.flatMap((group) => group.weights),
      weightData: Uint8Array.from(weights).buffer,
    }),
  });
  return { tf, model };
}

async function startTensorflow(): Promise<typeof Tf> {
  const tf = await import('@tensorflow/tfjs');
  const { setWasmPaths } = await import('@tensorflow/tfjs-backend-wasm');
  const home = dirname(createRequire(import.meta.url).resolve('@tensorflow/tfjs-backend-wasm'));
  setWasmPaths(`${home}/`);
  await tf.setBackend('wasm');
  await tf.ready();
  return tf;
}
