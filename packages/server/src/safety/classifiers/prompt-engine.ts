import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateEngine } from '@atelier/engines/engine.ts';
import type { Verdict } from '../verdict.ts';
import { findExemplarVectors } from './exemplar-vectors.ts';
import { openEmbedder } from './open-embedder.ts';
import { readExemplars } from './read-exemplars.ts';
import { scoreVectors, splitPrompt } from './score-vectors.ts';

const VERSION = '1';

/** The prompt classifier. Settings: `prompt`, `threshold`. Its one output is `verdict.json`. */
export const createEngine: CreateEngine = async (kit) => {
  const embed = await openEmbedder(kit.weights('minilm'));
  const texts = await readExemplars();
  const vectors = await findExemplarVectors(
    texts.map(({ text }) => text),
    embed,
  );
  const exemplars = texts.map(({ category }, index) => ({ category, vector: vectors[index]! }));
  return {
    async run(request) {
      const { prompt, threshold } = request.settings;
      if (typeof prompt !== 'string' || typeof threshold !== 'number') throw new Error('needs prompt and threshold');
      const { category, score } = scoreVectors(await embed(splitPrompt(prompt)), exemplars);
      const verdict: Verdict = {
        flagged: category !== null && score >= threshold,
        category,
        score,
        engine: 'minilm-exemplars',
        version: VERSION,
      };
      const path = join(request.dir, 'verdict.json');
      await writeFile(path, JSON.stringify(verdict));
      return [{ path }];
    },
  };
};
