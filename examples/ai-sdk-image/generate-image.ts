import { writeFile } from 'node:fs/promises';
import { createAtelier } from '@atelier/ai-sdk-provider';
import { generateImage } from 'ai';

const [prompt = 'a lake at sunset', name = 'picture'] = process.argv.slice(2);

const atelier = createAtelier({ maxCoins: 20 });
const { images, calls } = await generateImage({
  model: atelier.image('canvas'),
  prompt,
  n: 2,
  aspectRatio: '3:2',
  providerOptions: { atelier: { params: { style: 'watercolour' } } },
});

for (const [index, image] of images.entries()) {
  const file = `${name}-${index + 1}.${image.mediaType.replace('image/', '')}`;
  await writeFile(file, image.uint8Array);
  console.log(file);
}
let coins = 0;
for (const { providerMetadata } of calls) {
  coins += (providerMetadata?.atelier as { coinsCharged?: number } | undefined)?.coinsCharged ?? 0;
}
console.log(`${coins} coins`);
