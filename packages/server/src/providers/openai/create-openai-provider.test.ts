import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ProviderJob } from '../provider.ts';
import { picture, refusalOf, remoteJob, removeJobs, runToEnd, SECRET } from '../testing/remote-job.ts';
import { closeOpenAiBackends, startOpenAiBackend } from '../testing/start-openai-backend.ts';
import { sendJson } from '../testing/test-server.ts';

afterAll(removeJobs);

afterEach(closeOpenAiBackends);

const pictureRoute = {
  provider: 'openai',
  backend: 'gpu',
  model: 'painter-1',
  map: { prompt: 'prompt', negative_prompt: 'negative_prompt', seed: 'seed', num_outputs: 'n' },
  lookups: [
    { field: 'size', by: ['aspect_ratio', 'resolution'], values: { '16:9 1k': '1344x768', '1:1 1k': '1024x1024' } },
    { field: 'prompt', by: ['style'], values: { ink: 'in ink' }, join: ', ' },
  ],
};
const params = {
  prompt: 'a lighthouse',
  negative_prompt: 'people',
  seed: 7,
  num_outputs: 2,
  aspect_ratio: '16:9',
  resolution: '1k',
  style: 'ink',
};

describe('pictures', () => {
  test.each(['sglang', 'vllm-omni'] as const)('%s gets its own fields and returns bytes', async (dialect) => {
    const { server, provider } = await startOpenAiBackend(dialect);
    const job = await remoteJob({ route: pictureRoute, params, outputs: 2 });
    const outputs = await runToEnd(provider, job);
    expect(outputs).toHaveLength(2);
    for (const { path } of outputs) expect((await sharp(path).metadata()).format).toBe('png');
    expect(server.runs).toEqual([
      {
        model: 'painter-1',
        prompt: 'a lighthouse, in ink',
        negative_prompt: 'people',
        seed: 7,
        n: 2,
        size: '1344x768',
        response_format: 'b64_json',
      },
    ]);
  });

  test('OpenAI itself gets no unknown field', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    await runToEnd(provider, await remoteJob({ route: pictureRoute, params, outputs: 2 }));
    expect(server.runs[0]).toEqual({
      model: 'painter-1',
      prompt: 'a lighthouse, in ink\nDo not show: people',
      n: 2,
      size: '1344x768',
    });
  });

  test('sd.cpp gets the other fields inside the prompt', async () => {
    const { server, provider } = await startOpenAiBackend('sd-cpp');
    const job = await remoteJob({
      route: pictureRoute,
      params: { ...params, negative_prompt: 'a > b </x>' },
      outputs: 2,
    });
    await runToEnd(provider, job);
    expect(server.runs[0]).toMatchObject({ prompt: 'a lighthouse, in ink', negative_prompt: 'a > b </x>', seed: 7 });
  });

  test.each(['prompt', 'negative_prompt'])('a customer cannot inject server settings through the %s', async (name) => {
    for (const words of [
      'x <sd_cpp_extra_args>{"steps":9999}</sd_cpp_extra_args>',
      'x </ SD_CPP_extra_args><sd_cpp_<sd_cpp_extra_args>extra_args>',
    ]) {
      const { server, provider } = await startOpenAiBackend('sd-cpp');
      const refusal = await refusalOf(
        provider.submit(await remoteJob({ route: pictureRoute, params: { ...params, [name]: words } })),
      );
      expect(refusal).toMatchObject({ code: 'invalid_input', retryable: false });
      expect(server.seen).toEqual([]);
    }
  });

  test('LocalAI splits the prompt at a bar, which a customer cannot inject', async () => {
    const { server, provider } = await startOpenAiBackend('localai');
    await runToEnd(provider, await remoteJob({ route: pictureRoute, params: { ...params, prompt: 'a | b' } }));
    expect(server.runs[0]).toMatchObject({ prompt: 'a   b, in ink', negative_prompt: 'people' });
  });

  test('links are fetched from the backend, with its key', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    server.links = true;
    const [output] = await runToEnd(provider, await remoteJob({ route: pictureRoute, params }));
    expect((await sharp(output?.path).metadata()).format).toBe('png');
  });

  test('links to other hosts are refused', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    server.first.push((_seen, response) =>
      sendJson(response, 200, { data: [{ url: 'http://169.254.169.254/latest' }] }),
    );
    expect(await refusalOf(provider.submit(await remoteJob({ route: pictureRoute, params })))).toMatchObject({
      code: 'internal',
      retryable: false,
    });
  });

  test('a route that sends no count makes one call per output, each with its own seed', async () => {
    const { server, provider } = await startOpenAiBackend('vllm-omni');
    const { num_outputs: _left, ...map } = pictureRoute.map;
    const job = await remoteJob({ route: { ...pictureRoute, map }, params, outputs: 3 });
    expect(await runToEnd(provider, job)).toHaveLength(3);
    expect(server.runs.map(({ seed }) => seed)).toEqual([7, 8, 9]);
    expect(job.progress).toEqual([1 / 3, 2 / 3, 1]);
  });

  test('finished outputs are not made again when a later step failed', async () => {
    const { server, provider } = await startOpenAiBackend('vllm-omni');
    const { num_outputs: _left, ...map } = pictureRoute.map;
    const job = await remoteJob({ route: { ...pictureRoute, map }, params, outputs: 2 });
    const real = server.first;
    await provider.submit({ ...job, outputs: 1 });
    real.push((_seen, response) => sendJson(response, 500, { detail: 'out of memory' }));
    expect(await refusalOf(provider.submit(job))).toMatchObject({ code: 'internal', retryable: true });
    expect(await runToEnd(provider, job)).toHaveLength(2);
    expect(server.runs).toHaveLength(2);
  });

  test('a refusal of a later picture keeps the earlier ones', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    const { num_outputs: _left, ...map } = pictureRoute.map;
    const job = await remoteJob({ route: { ...pictureRoute, map }, params, outputs: 2 });
    await provider.submit({ ...job, outputs: 1 });
    server.first.push((_seen, response) =>
      sendJson(response, 400, { error: { code: 'moderation_blocked', message: 'no' } }),
    );
    expect(await runToEnd(provider, job)).toHaveLength(1);
  });
});

describe('edits', () => {
  const route = { ...pictureRoute, map: { prompt: 'prompt', images: 'image', image: 'image', mask: 'mask' } };
  async function editJob(more: Partial<ProviderJob> = {}) {
    const job = await remoteJob({
      route,
      taskType: 'image.edit',
      params: { prompt: 'add a hat', images: ['a', 'b'] },
      ...more,
    });
    const [first, second] = [await picture(join(job.workDir, 'input-a')), await picture(join(job.workDir, 'input-b'))];
    return { ...job, inputs: { images: [first, second] } };
  }

  test('are sent as a form, with pictures under our own names', async () => {
    const { server, provider } = await startOpenAiBackend('vllm-omni');
    await runToEnd(provider, await editJob());
    const [run] = server.runs;
    expect(run?.prompt).toBe('add a hat');
    expect(run?.image).toMatchObject([{ name: 'input-0.png', type: 'image/png' }, { name: 'input-1.png' }]);
  });

  test('OpenAI gets lists with brackets, and a mask that is transparent where ours is white', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    await runToEnd(provider, await editJob());
    expect(server.runs[0]?.['image[]']).toHaveLength(2);

    const job = await remoteJob({
      route,
      taskType: 'image.inpaint',
      params: { prompt: 'a cat', image: 'a', mask: 'm' },
    });
    const half = await sharp({ create: { width: 4, height: 8, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const maskPath = join(job.workDir, 'input-m');
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#000' } })
      .composite([{ input: half, left: 0, top: 0 }])
      .png()
      .toFile(maskPath);
    const inputs = {
      image: [await picture(join(job.workDir, 'input-a'), { width: 16, height: 16 })],
      mask: [maskPath],
    };
    await runToEnd(provider, { ...job, inputs });
    const sent = server.runs[1]?.mask as { bytes: Buffer };
    const { data, info } = await sharp(sent.bytes).raw().toBuffer({ resolveWithObject: true });
    expect([info.width, info.height, info.channels]).toEqual([16, 16, 4]);
    const alphaAt = (x: number) => data[(8 * 16 + x) * 4 + 3];
    expect([alphaAt(1), alphaAt(14)]).toEqual([0, 255]);
  });
});

describe('refusals', () => {
  async function refused(status: number, body: unknown, headers: Record<string, string> = {}) {
    const { server, provider } = await startOpenAiBackend('openai', { retries: 0 });
    server.first.push((_seen, response) => sendJson(response, status, body, headers));
    return refusalOf(provider.submit(await remoteJob({ route: pictureRoute, params })));
  }
  test.each([
    [
      400,
      { error: { message: 'Bad size.', type: 'invalid_request_error', code: null } },
      'invalid_input',
      'The backend rejected the request: Bad size.',
      false,
    ],
    [
      400,
      { error: { message: 'no', code: 'moderation_blocked' } },
      'content_policy',
      'Refused by the content policy, as reported by the backend.',
      false,
    ],
    [
      400,
      { error: { message: 'no', code: 'content_policy_violation' } },
      'content_policy',
      'Refused by the content policy, as reported by the backend.',
      false,
    ],
    [
      422,
      { detail: [{ loc: ['body', 'size'], msg: 'is odd' }] },
      'invalid_input',
      'The backend rejected the request: size is odd',
      false,
    ],
    [400, { detail: 'too many steps' }, 'invalid_input', 'The backend rejected the request: too many steps', false],
    [503, { detail: 'loading' }, 'unavailable', 'The backend is unavailable.', true],
    [429, { error: { message: 'slow', code: 'rate_limit_exceeded' } }, 'unavailable', 'The backend is busy.', true],
    [
      429,
      { error: { message: 'pay', code: 'insufficient_quota' } },
      'unavailable',
      'The backend rejected our credentials.',
      false,
    ],
    [
      404,
      { error: { message: 'no such model', code: 'model_not_found' } },
      'unavailable',
      'The backend does not have what the route requests.',
      false,
    ],
    [500, 'Internal Server Error', 'internal', 'The backend failed with status 500.', true],
  ] as const)('%s %j is %s', async (status, body, code, message, retryable) => {
    expect(await refused(status, body)).toMatchObject({ code, message, retryable });
  });

  test('no message contains the key, even if the backend repeats it', async () => {
    const leak = { error: { message: `Incorrect API key provided: ${SECRET}` } };
    for (const status of [400, 401, 500]) {
      const { message } = await refused(status, leak);
      expect(message).not.toContain(SECRET);
    }
  });

  test('a busy backend is retried after its Retry-After, within limits', async () => {
    const { server, provider } = await startOpenAiBackend('vllm-omni');
    const busy = (seconds: string) =>
      server.first.push((_seen, response) => sendJson(response, 429, { detail: 'busy' }, { 'retry-after': seconds }));
    busy('1');
    const startedAtMs = Date.now();
    await runToEnd(provider, await remoteJob({ route: pictureRoute, params }));
    expect(Date.now() - startedAtMs).toBeGreaterThanOrEqual(950);
    expect(server.seen).toHaveLength(2);
    busy('3600');
    const refusal = await refusalOf(provider.submit(await remoteJob({ route: pictureRoute, params })));
    expect(refusal).toMatchObject({ code: 'unavailable', retryable: true });
    expect(server.seen).toHaveLength(3);
  });

  test('an invalid route is not served and reports why', async () => {
    const { provider } = await startOpenAiBackend('openai');
    expect(provider.serves?.(pictureRoute)).toBe(true);
    const odd = { ...pictureRoute, maps: {} };
    expect(provider.serves?.(odd)).toBe(false);
    expect(provider.serves?.({ ...pictureRoute, backend: 'other' })).toBe(false);
    expect((await refusalOf(provider.submit(await remoteJob({ route: odd })))).message).toContain('is invalid');
  });
});

describe('differences between servers', () => {
  const edit = { provider: 'openai', backend: 'gpu', operation: 'edits', map: { prompt: 'prompt', images: 'image' } };

  test('stable-diffusion.cpp reads several pictures only as image[]', async () => {
    const { server, provider } = await startOpenAiBackend('sd-cpp');
    const job = await remoteJob({ route: edit, taskType: 'image.edit', params: { prompt: 'x', images: ['a', 'b'] } });
    const images = [await picture(join(job.workDir, 'input-a')), await picture(join(job.workDir, 'input-b'))];
    await runToEnd(provider, { ...job, inputs: { images } });
    expect(server.runs[0]?.['image[]']).toHaveLength(2);
    expect(server.runs[0]).not.toHaveProperty('image');
  });

  test('SGLang ignores masks: masked work is not routed to it', async () => {
    const masked = { ...edit, map: { prompt: 'prompt', image: 'image', mask: 'mask' } };
    const sglang = await startOpenAiBackend('sglang');
    expect([sglang.provider.serves?.(edit), sglang.provider.serves?.(masked)]).toEqual([true, false]);
    const other = await startOpenAiBackend('vllm-omni');
    expect(other.provider.serves?.(masked)).toBe(true);
  });
});
