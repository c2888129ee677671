import { mkdtemp, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { runEngine } from '@atelier/engines/testing/run-engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startMedia, type TestMedia } from '../../media/testing/start-media.ts';

const PHOTOGRAPH = resolve(import.meta.dirname, '../../../../../gallery/inputs/coffee.jpg');

let media: TestMedia;
beforeAll(async () => {
  media = await startMedia();
});
afterAll(() => media?.stop());

test.each(['photo', 'poster', 'logo', 'line'])(
  'vectorize %s: makes a drawing that the service accepts, with the size of the picture',
  async (style) => {
    const [output] = await runEngine('vtracer', {
      taskType: 'image.vectorize',
      params: { style },
      inputs: { image: [PHOTOGRAPH] },
      // A folder for each: libvips caches files by name.
      dir: await mkdtemp(join(media.dir, 'trace-')),
    });
    const facts = await media.media.inspect({ path: output!.path, purpose: 'output' });
    expect(facts).toMatchObject({ kind: 'image', mimeType: 'image/svg+xml', width: 600, height: 400 });
    expect(await readFile(output!.path, 'utf8')).not.toMatch(/<image|<script|href|style=/);
  },
);
