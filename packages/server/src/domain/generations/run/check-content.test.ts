import { describe, expect, test } from 'vitest';
import type { ProviderJob } from '../../../providers/provider.ts';
import type { Finding } from '../../../safety/create-safety.ts';
import { SafetyUnavailable } from '../../../safety/verdict.ts';
import { type ContentCheck, checkOutput, checkUploads, checkWords } from './check-content.ts';

/** Returns the given findings and records its calls. */
function check(found: Partial<Record<Finding['stage'], Finding['action']>> = {}) {
  const asked: unknown[] = [];
  const answer = (stage: Finding['stage']): Finding | null =>
    found[stage] === undefined ? null : { action: found[stage], stage, category: 'hate', score: 1, engine: 'test@1' };
  const contentCheck: ContentCheck = {
    async checkPrompt({ text }) {
      asked.push(text);
      return answer('prompt');
    },
    async checkFiles({ paths, kind, stage }) {
      if (paths.length > 0) asked.push([stage, kind, ...paths]);
      return paths.length > 0 ? answer(stage) : null;
    },
  };
  return { contentCheck, asked };
}

const { signal } = new AbortController();
const checkRequest = async (contentCheck: ContentCheck, asked: ProviderJob) => {
  await checkWords(contentCheck, asked);
  await checkUploads(contentCheck, asked);
};
const job = {
  params: { prompt: 'a boat', negative_prompt: 'blood', text: 'hello', seed: 7 },
  inputs: { image: ['a.png'], images: ['b.png', 'c.png'], mask: ['m.png'], video: ['v.mp4'], audio: ['s.wav'] },
  signal,
} as unknown as ProviderJob;

describe('a request', () => {
  test('is checked by its texts and uploads, except negative prompts, masks and audio', async () => {
    const { contentCheck, asked } = check();
    await checkRequest(contentCheck, job);
    expect(asked).toEqual([
      'a boat\nhello',
      ['input', 'image', 'a.png', 'b.png', 'c.png'],
      ['input', 'video', 'v.mp4'],
    ]);
  });

  test.each(['prompt', 'input'] as const)('blocked at the %s reports only the stage and category', async (stage) => {
    await expect(checkRequest(check({ [stage]: 'block' }).contentCheck, job)).rejects.toMatchObject({
      code: 'content_policy',
      retryable: false,
      message: expect.stringMatching(
        stage === 'prompt'
          ? /^The words .* as hate by an automated check\.$/
          : /^An upload .* by an automated check\.$/,
      ),
    });
  });

  test('that is only flagged proceeds', async () => {
    await checkRequest(check({ prompt: 'flag', input: 'flag' }).contentCheck, job);
  });
});

test('content that cannot be checked fails as unavailable and never passes unchecked', async () => {
  const broken = () => Promise.reject(new SafetyUnavailable('safety-prompt: missing dependencies'));
  const contentCheck: ContentCheck = { checkPrompt: broken, checkFiles: broken };
  const unavailable = { name: 'ProviderError', code: 'unavailable', retryable: true };
  await expect(checkWords(contentCheck, job)).rejects.toMatchObject(unavailable);
  await expect(checkUploads(contentCheck, job)).rejects.toMatchObject(unavailable);
  const made = { path: 'a.png', thumbnailPath: 'a.webp', kind: 'image', signal };
  await expect(checkOutput(contentCheck, made)).rejects.toMatchObject(unavailable);
});

describe('an output', () => {
  const made = { path: 'a.mp4', thumbnailPath: 'a.webp', signal };

  test('is checked if it is an image, by its thumbnail, or a video', async () => {
    const { contentCheck, asked } = check();
    for (const kind of ['image', 'video', 'audio', '3d', 'text']) await checkOutput(contentCheck, { ...made, kind });
    expect(asked).toEqual([
      ['output', 'image', 'a.webp'],
      ['output', 'video', 'a.mp4'],
    ]);
  });

  test('that is blocked is not delivered', async () => {
    const { contentCheck } = check({ output: 'block' });
    await expect(checkOutput(contentCheck, { ...made, kind: 'image' })).rejects.toMatchObject({
      code: 'content_policy',
      message: 'What the model made was flagged as hate by an automated check.',
    });
  });
});
