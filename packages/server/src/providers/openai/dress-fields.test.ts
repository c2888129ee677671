import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ProviderError } from '../provider.ts';
import { mapFields } from '../remote/fields/map-fields.ts';
import { dressFields } from './dress-fields.ts';

const route = { map: { prompt: 'prompt', negative_prompt: 'negative_prompt', seed: 'seed' } };

/** Text made of the fragments that an attacker would try. */
const words = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<',
        '</',
        '>',
        'sd_cpp_extra_args',
        'SD_CPP_EXTRA_ARGS',
        '{"steps":999}',
        '"',
        '\\',
        '|',
        ' ',
        '\n',
      ),
      fc.string({ maxLength: 4 }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(''))
  .filter((text) => text !== '');

function sentPrompt(params: { prompt: string; negative_prompt: string }, dialect: 'sd-cpp' | 'localai'): string | null {
  try {
    const job = { generationId: 'g', params: { ...params, seed: 7 }, inputs: {}, effectSettings: {} };
    const fields = dressFields(mapFields(route, { job, index: 0 }), { dialect, operation: 'images', model: undefined });
    const prompt = fields.find(({ field }) => field === 'prompt');
    return prompt !== undefined && 'value' in prompt ? String(prompt.value) : '';
  } catch (error) {
    if (error instanceof ProviderError && error.code === 'invalid_input') return null;
    throw error;
  }
}

test('for any customer text, sd.cpp reads our settings and the prompt unchanged', () => {
  fc.assert(
    fc.property(words, words, (prompt, negative) => {
      const sent = sentPrompt({ prompt, negative_prompt: negative }, 'sd-cpp');
      if (sent === null) return /sd_cpp_extra_args/i.test(prompt + negative);
      const tags = [...sent.matchAll(/<sd_cpp_extra_args>([\s\S]*?)<\/sd_cpp_extra_args>/gi)];
      const [tag] = tags;
      expect(tags).toHaveLength(1);
      expect(JSON.parse(tag?.[1] ?? '')).toEqual({ seed: 7, negative_prompt: negative });
      return sent.replace(tag?.[0] ?? '', '') === prompt;
    }),
    { numRuns: 2_000 },
  );
});

test('for any customer text, LocalAI splits only at our separator', () => {
  fc.assert(
    fc.property(words, words, (prompt, negative) => {
      const sent = sentPrompt({ prompt, negative_prompt: negative }, 'localai');
      return sent === null || sent.split('|').length === 2;
    }),
    { numRuns: 1_000 },
  );
});
