import { readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { EngineRefusal } from '../engine.ts';
import { countOpenEdges } from '../mesh/testing/count-open-edges.ts';
import { runEngine } from '../testing/run-engine.ts';
import { buildObject } from './build-object.ts';
import { openVocabulary } from './open-vocabulary.ts';

const icons = join(dirname(createRequire(import.meta.url).resolve('fluentui-emoji/package.json')), 'icons/flat');
const vocabulary = await openVocabulary(icons);
const SAMPLE_STEP = 30;
const MIN_CLOSED_SHARE = 0.95;

describe('icon3d: 3d.from-text', () => {
  it('knows more than a thousand objects by their common names', () => {
    console.info(`icon3d: ${vocabulary.names.length} objects`);
    expect(vocabulary.names.length).toBeGreaterThan(1_400);
    expect(vocabulary.find('A cute 3D rocket')).toBe('rocket');
    expect(vocabulary.find('car')).toBe('automobile');
    expect(vocabulary.find('some cherries')).toBe('cherries');
    expect(vocabulary.find('astronaut')).toBe('astronaut');
  });

  it('refuses unknown objects and suggests similar names', () => {
    expect(() => vocabulary.find('a rocket on the moon')).toThrow(/rocket/);
    expect(() => vocabulary.find('a treaty of westphalia')).toThrow(EngineRefusal);
    expect(() => vocabulary.find('')).toThrow(EngineRefusal);
  });

  it('builds letters without open edges', async () => {
    const texts = ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz', '0123456789!?&@%$#', 'ÅÇéñøß Привет Ωλ'];
    for (const text of texts)
      expect([text, countOpenEdges(await buildObject({ text }, vocabulary))]).toEqual([text, 0]);
  });

  it('builds objects that are mostly closed', async () => {
    const sample = vocabulary.names.filter((_, at) => at % SAMPLE_STEP === 0);
    let closed = 0;
    for (const prompt of sample) if (countOpenEdges(await buildObject({ prompt }, vocabulary)) === 0) closed += 1;
    console.info(`icon3d: ${closed} of ${sample.length} sampled objects have no open edge`);
    expect(closed / sample.length).toBeGreaterThanOrEqual(MIN_CLOSED_SHARE);
  });

  it('writes the model in five formats', async () => {
    const [output] = await runEngine('icon3d', { taskType: '3d.from-text', params: { prompt: 'rocket' } });
    const glb = await readFile(output!.path);
    expect(glb.toString('latin1', 0, 4)).toBe('glTF');
    expect(output!.downloads!.map(({ format }) => format).sort()).toEqual(['fbx', 'obj', 'stl', 'usdz']);
    const bytes = new Map<string, Buffer>();
    for (const { format, path } of output!.downloads!) {
      expect((await stat(path)).size).toBeGreaterThan(10_000);
      bytes.set(format, await readFile(path));
    }
    expect(bytes.get('fbx')!.toString('latin1', 0, 18)).toBe('Kaydara FBX Binary');
    expect(bytes.get('stl')!.readUInt32LE(80) * 50 + 84).toBe(bytes.get('stl')!.length);
    expect(bytes.get('usdz')!.toString('latin1', 64, 75)).toContain('#usda 1.0');
    expect(bytes.get('obj')!.toString('latin1')).toMatch(/^f \d+\/\/\d+/m);
  });

  it('refuses characters that the font does not have', async () => {
    await expect(buildObject({ text: '漢字' }, vocabulary)).rejects.toThrow(/漢/);
  });
});

describe('icon3d: images', () => {
  it('renders the object in front of its backdrop', async () => {
    const params = { prompt: 'red heart', style: 'sky', aspect_ratio: '4:3', resolution: '512' };
    const [output] = await runEngine('icon3d', { taskType: 'image.generate', params });
    const { data, info } = await sharp(output!.path).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([512, 384, 3]);
    const pixel = (x: number, y: number) => [...data.subarray((y * 512 + x) * 3, (y * 512 + x) * 3 + 3)];
    const [red, green] = pixel(256, 180);
    expect(red! - green!).toBeGreaterThan(80);
    const corner = pixel(5, 5);
    expect(corner[2]! - corner[0]!).toBeGreaterThan(40);
  });

  it('renders the object on a transparent background without a backdrop', async () => {
    const params = { prompt: 'star', style: 'transparent', resolution: '512' };
    const [output] = await runEngine('icon3d', { taskType: 'image.generate', params });
    const { channels } = await sharp(output!.path).stats();
    expect(channels).toHaveLength(4);
    expect(channels[3]!.min).toBe(0);
    expect(channels[3]!.max).toBe(255);
  });
});

describe('icon3d: turntable', () => {
  it('renders one rotation and reports every frame', async () => {
    const steps: number[] = [];
    const params = { prompt: 'rocket', duration: 1, resolution: '360p' };
    const startedAt = performance.now();
    const [output] = await runEngine('icon3d', {
      taskType: 'video.generate',
      params,
      onProgress: (step) => steps.push(step),
    });
    console.info(`icon3d: ${Math.round((performance.now() - startedAt) / 24)} ms a frame of 360 x 360`);
    expect(steps.length).toBeGreaterThanOrEqual(24);
    expect(steps).toEqual([...steps].sort((a, b) => a - b));
    expect((await stat(output!.path)).size).toBeGreaterThan(5_000);
    expect((await readFile(output!.path)).toString('latin1', 4, 8)).toBe('ftyp');
  }, 120_000);
});
