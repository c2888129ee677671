// Runs with the built package in any runtime: the first argument is a file to upload.
import { Atelier, fromPath, VERSION } from '@atelier/sdk';

const atelier = new Atelier();
const models = await atelier.models.list();
const seen = [];
const generation = await atelier.generations.run(
  { modelId: 'real-esrgan-x2', params: { image: fromPath(process.argv[2]), upscale_factor: 2 }, maxCoins: 100 },
  { onProgress: ({ status }) => seen.push(status) },
);
const file = await generation.outputs[0].download();
let count = 0;
for await (const _generation of atelier.generations.list({ limit: 1 })) count += 1;
console.log(
  JSON.stringify({
    runtime: ['deno', 'bun', 'node']
      .flatMap((name) => (process.versions[name] ? [name, process.versions[name]] : []))
      .join(' '),
    version: VERSION,
    models: models.length > 0,
    status: generation.status,
    first: seen[0],
    bytes: file.size > 0,
    count,
  }),
);
