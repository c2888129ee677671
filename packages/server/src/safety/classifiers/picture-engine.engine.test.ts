import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { join, resolve } from 'node:path';
import { runEngine } from '@atelier/engines/testing/run-engine.ts';
import { describe, expect, test } from 'vitest';
import { engineTable } from '../../providers/local/engine-table.ts';
import type { Verdict } from '../verdict.ts';

const INPUTS = resolve(import.meta.dirname, '../../../../../gallery/inputs');
const isInstalled = isThere('nsfwjs');

function isThere(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

async function judge(inputs: Record<string, string[]>): Promise<Verdict> {
  const settings = { stage: 'input', threshold: 0.85 };
  const [output] = await runEngine(engineTable['safety-picture'], { taskType: 'image.generate', settings, inputs });
  return JSON.parse(readFileSync(output!.path, 'utf8')) as Verdict;
}

describe.skipIf(!isInstalled)('the picture classifier', () => {
  test('allows the pictures of the gallery', async () => {
    for (const name of ['portrait.jpg', 'coffee.jpg', 'cat.jpg', 'rocket.jpg']) {
      const verdict = await judge({ images: [join(INPUTS, name)] });
      console.info(`${name}: ${verdict.score.toFixed(3)}`);
      expect(verdict.flagged).toBe(false);
    }
  });

  test('checks one frame per second of a video', async () => {
    const verdict = await judge({ videos: [join(INPUTS, 'person.mp4')] });
    expect(verdict).toMatchObject({ flagged: false, engine: 'nsfwjs-mobilenet-v2' });
  });
});
