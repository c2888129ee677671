import { APICallError, InvalidArgumentError, NoSuchModelError, UnsupportedFunctionalityError } from '@ai-sdk/provider';
import { GenerationFailedError, InsufficientCoinsError } from '@atelier/sdk';
import { generateImage } from 'ai';
import { expect, test } from 'vitest';
import { createCannedService, generationOf, problem } from '../testing/canned-answers.ts';

globalThis.AI_SDK_LOG_WARNINGS = false;
const LOST = 'the connection failed';

test('the settings become params of the model', async () => {
  const { atelier, submits } = createCannedService();
  const { images, warnings, calls } = await generateImage({
    model: atelier.image('painter'),
    prompt: 'a lake',
    n: 2,
    aspectRatio: '16:9',
    seed: 7,
    providerOptions: { atelier: { maxCoins: 14, params: { style: 'ink' } } },
  });
  const params = { prompt: 'a lake', num_outputs: 2, aspect_ratio: '16:9', seed: 7, style: 'ink' };
  expect(submits).toEqual([{ modelId: 'painter', maxCoins: 14, params }]);
  expect(images.map(({ uint8Array }) => new TextDecoder().decode(uint8Array))).toEqual(['the file', 'the file']);
  expect(images[1]?.providerMetadata).toEqual({
    atelier: { generationId: 'generation-1', assetId: 'asset-1', mimeType: 'image/png', width: 8, height: 8 },
  });
  expect(calls[0]?.providerMetadata).toMatchObject({ atelier: { coinsCharged: 14 } });
  expect(warnings).toEqual([]);
});

test('more images than the model makes at once take several calls, and its description is read once', async () => {
  const { atelier, submits, seen } = createCannedService();
  const { images } = await generateImage({ model: atelier.imageModel('painter'), prompt: 'a lake', n: 3 });
  expect(submits.map(({ params }) => params.num_outputs)).toEqual([2, 1]);
  expect(images).toHaveLength(3);
  expect(seen.filter((operation) => operation.startsWith('GET /v1/models/'))).toHaveLength(1);
});

test('a size becomes an aspect ratio and a resolution, with a warning', async () => {
  const { atelier, submits } = createCannedService();
  const model = atelier.image('painter');
  const made = await generateImage({ model, prompt: 'x', size: '2496x1664' });
  expect(submits[0]?.params).toMatchObject({ aspect_ratio: '3:2', resolution: '2k' });
  expect(made.warnings).toMatchObject([{ type: 'compatibility', feature: 'size' }]);
  const odd = await generateImage({ model, prompt: 'x', size: '1000x3000' });
  expect(submits[1]?.params).not.toHaveProperty('aspect_ratio');
  expect(odd.warnings).toMatchObject([{ type: 'unsupported', feature: 'size' }]);
  const both = await generateImage({ model, prompt: 'x', size: '2048x2048', aspectRatio: '16:9' });
  expect(submits[2]?.params).toMatchObject({ aspect_ratio: '16:9', resolution: '2k' });
  expect(both.warnings).toMatchObject([{ type: 'compatibility', feature: 'size' }]);
});

test('what the model does not take is left out, with a warning', async () => {
  const { atelier, submits } = createCannedService();
  const { warnings } = await generateImage({
    model: atelier.image('painter'),
    prompt: 'x',
    aspectRatio: '5:4',
    seed: 1001,
    headers: { 'x-trace': '1' },
  });
  expect(submits[0]?.params).toEqual({ prompt: 'x', num_outputs: 1 });
  expect(warnings.map((warning) => 'feature' in warning && warning.feature)).toEqual([
    'headers',
    'aspectRatio',
    'seed',
  ]);
  const other = await generateImage({
    model: atelier.image('upscaler'),
    prompt: { images: [new Uint8Array([1])], text: 'sharper' },
    n: 2,
    maxImagesPerCall: 2,
    size: '10x10',
  });
  expect(submits[1]?.params).toEqual({ image: expect.stringMatching(/^upload-/) });
  const features = other.warnings.map((warning) => 'feature' in warning && warning.feature);
  expect(features).toEqual(['prompt', 'n', 'size']);
});

test('files are uploaded, and refused if the model cannot take them', async () => {
  const { atelier, submits } = createCannedService();
  const model = atelier.image('collage');
  await generateImage({ model, prompt: { images: [new Uint8Array([1]), 'AAAA'], text: 'x' } });
  expect(submits[0]?.params.images).toHaveLength(2);
  const bytes = new Uint8Array([1]);
  const refusals = [
    { images: [bytes, bytes, bytes], text: 'x' },
    { images: [bytes], mask: bytes, text: 'x' },
    { images: ['https://example.com/a.png'], text: 'x' },
  ].map((prompt) => generateImage({ model, prompt }));
  for (const refusal of refusals) await expect(refusal).rejects.toBeInstanceOf(UnsupportedFunctionalityError);
  expect(submits).toHaveLength(1);
});

test('a call needs a limit of coins, and misspelled options are refused', async () => {
  const { atelier, seen } = createCannedService({ maxCoins: undefined });
  const model = atelier.image('painter');
  const call = (options: Record<string, number>) =>
    model.doGenerate({
      prompt: 'x',
      n: 1,
      size: undefined,
      aspectRatio: undefined,
      seed: undefined,
      files: undefined,
      mask: undefined,
      providerOptions: { atelier: options },
    });
  await expect(call({})).rejects.toThrow(/maxCoins: Set the most that a call may cost/);
  await expect(call({ maxCoin: 5 })).rejects.toBeInstanceOf(InvalidArgumentError);
  await expect(call({ maxCoins: -1 })).rejects.toBeInstanceOf(InvalidArgumentError);
  await expect(call({ maxCoins: 1, timeoutMs: 0 })).rejects.toBeInstanceOf(InvalidArgumentError);
  expect(seen).toEqual([]);
});

test('models of another kind and unknown models are no image models', async () => {
  const { atelier } = createCannedService();
  for (const modelId of ['reader', 'nothing']) {
    const made = generateImage({ model: atelier.image(modelId), prompt: 'x' });
    await expect(made).rejects.toBeInstanceOf(NoSuchModelError);
  }
  expect(() => atelier.languageModel('painter')).toThrow(NoSuchModelError);
  expect(() => atelier.embeddingModel('painter')).toThrow(NoSuchModelError);
});

test('the AI SDK starts no second generation after an error', async () => {
  const submits = [
    () => problem(402, 'insufficient_coins'),
    () => problem(503, 'unavailable'),
    () => {
      throw new TypeError(LOST);
    },
  ];
  for (const submit of submits) {
    const service = createCannedService({ submit });
    const error = await generateImage({ model: service.atelier.image('painter'), prompt: 'x' }).catch((e) => e);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ isRetryable: false, url: 'http://service.test/v1/generations' });
    expect(service.submits).toHaveLength(1);
    if (submit === submits[0]) {
      expect(error).toMatchObject({ statusCode: 402, data: { code: 'insufficient_coins' } });
      expect(error.cause).toBeInstanceOf(InsufficientCoinsError);
    }
    if (submit === submits[2]) expect(error.message).toContain(LOST);
  }
});

test('a failed generation is an error with the reason as its cause', async () => {
  const failed = { status: 'failed', outputs: [], error: { code: 'content_policy', message: 'Not allowed' } };
  const { atelier } = createCannedService({
    submit: () => Response.json(generationOf({ modelId: 'painter', maxCoins: 1, params: {} }, failed)),
  });
  const error = await generateImage({ model: atelier.image('painter'), prompt: 'x' }).catch((e) => e);
  expect(error).toMatchObject({ name: 'AI_GenerationFailedError', message: 'Not allowed' });
  expect(error.cause).toBeInstanceOf(GenerationFailedError);
});

test('an aborted call rejects with the reason and cancels its generation', async () => {
  const abort = new AbortController();
  const queued = { status: 'queued', outputs: [], progress: null, queuePosition: 1 };
  const { atelier, seen } = createCannedService({
    submit() {
      setTimeout(() => abort.abort(new Error('no longer needed')));
      return Response.json(generationOf({ modelId: 'painter', maxCoins: 1, params: {} }, queued));
    },
  });
  const made = generateImage({ model: atelier.image('painter'), prompt: 'x', abortSignal: abort.signal });
  await expect(made).rejects.toThrow('no longer needed');
  await expect.poll(() => seen).toContain('POST /v1/generations/generation-1/cancel');
});
