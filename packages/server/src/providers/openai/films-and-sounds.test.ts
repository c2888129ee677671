import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, describe, expect, test } from 'vitest';
import type { ProviderJob } from '../provider.ts';
import { hostileAnswers } from '../testing/hostile-answers.ts';
import { picture, recording, refusalOf, remoteJob, removeJobs, runToEnd } from '../testing/remote-job.ts';
import { closeOpenAiBackends, startOpenAiBackend } from '../testing/start-openai-backend.ts';
import { sendJson } from '../testing/test-server.ts';
import { createOpenAiProvider } from './create-openai-provider.ts';

afterAll(removeJobs);

afterEach(closeOpenAiBackends);

describe('videos', () => {
  const route = {
    provider: 'openai',
    backend: 'gpu',
    model: 'film-1',
    map: {
      prompt: 'prompt',
      first_frame: 'input_reference',
      duration: { field: 'num_frames', times: 16, plus: 1, as: 'integer' },
      seed: 'seed',
    },
    constants: { fps: 16 },
  };
  const filmParams = { prompt: 'waves', duration: 2.5, seed: 3 };
  const filmJob = (more: Partial<ProviderJob> = {}) =>
    remoteJob({ route, taskType: 'video.generate', params: filmParams, ...more });

  test.each(['openai', 'sglang', 'vllm-omni'] as const)('%s: started, polled and fetched', async (dialect) => {
    const { server, provider } = await startOpenAiBackend(dialect);
    const job = await filmJob();
    const [output] = await runToEnd(provider, job);
    expect(await readFile(output?.path ?? '', 'utf8')).toBe('film video_1');
    expect(job.progress).toEqual([0.4, 0.4]);
    const isForm = String(server.seen[0]?.headers['content-type']).startsWith('multipart/');
    expect(isForm).toBe(dialect !== 'sglang');
    const frames = isForm ? '41' : 41;
    expect(server.runs[0]).toMatchObject({ model: 'film-1', prompt: 'waves', num_frames: frames });
  });

  test('a start image is sent along', async () => {
    const { server, provider } = await startOpenAiBackend('vllm-omni');
    const job = await filmJob({ params: { ...filmParams, first_frame: 'a' } });
    await runToEnd(provider, { ...job, inputs: { first_frame: [await picture(join(job.workDir, 'input-a'))] } });
    expect(server.runs[0]?.input_reference).toMatchObject({ name: 'input-0.png' });
  });

  test('another worker continues from the handle, also in another process', async () => {
    const { server, provider, backends } = await startOpenAiBackend('openai');
    const submitted = await provider.submit(await filmJob());
    expect('handle' in submitted && JSON.parse(submitted.handle)).toEqual({
      provider: 'openai',
      backend: 'gpu',
      ids: ['video_1'],
    });
    const other = createOpenAiProvider({ backends });
    expect(await runToEnd(other, await filmJob(), 'handle' in submitted ? submitted.handle : '')).toHaveLength(1);
    expect(server.runs).toHaveLength(1);
  });

  test('a video that the server lost is restarted', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    const submitted = await provider.submit(await filmJob());
    server.forgetVideos();
    const refusal = await refusalOf(runToEnd(provider, await filmJob(), 'handle' in submitted ? submitted.handle : ''));
    expect(refusal).toMatchObject({ code: 'unavailable', retryable: true });
    expect(await refusalOf(provider.poll('sim1:5:ok:1', await filmJob()))).toMatchObject({
      code: 'unavailable',
      retryable: true,
    });
  });

  test('a temporarily unavailable server keeps the video and is polled again', async () => {
    const { server, provider } = await startOpenAiBackend('openai', { retries: 0, timeouts: { awayMs: 300 } });
    const job = await filmJob();
    const submitted = await provider.submit(job);
    const handle = 'handle' in submitted ? submitted.handle : '';
    server.first.push(hostileAnswers['closed socket'], (_seen, response) => sendJson(response, 503, {}));
    expect(await provider.poll(handle, job)).toEqual({ state: 'running', pollAfterMs: 3_000 });
    expect(await provider.poll(handle, job)).toEqual({ state: 'running', pollAfterMs: 3_000 });
    expect(await runToEnd(provider, job, handle)).toHaveLength(1);
    expect(server.runs).toHaveLength(1);
    await server.close();
    expect((await provider.poll(handle, job)).state).toBe('running');
    await sleep(310);
    expect(await refusalOf(provider.poll(handle, job))).toMatchObject({ code: 'unavailable', retryable: true });
  });

  test('a failed video reports why', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    server.videoError = { code: 'moderation_blocked', message: 'blocked' };
    expect(await refusalOf(runToEnd(provider, await filmJob()))).toMatchObject({ code: 'content_policy' });
    server.videoError = { code: 'video_generation_failed', message: 'The GPU caught fire.' };
    expect(await refusalOf(runToEnd(provider, await filmJob()))).toMatchObject({
      code: 'internal',
      message: 'The backend failed: The GPU caught fire.',
    });
  });

  test('SGLang with cloud storage puts the video link into url', async () => {
    const { server, provider } = await startOpenAiBackend('sglang');
    const job = await filmJob();
    const submitted = await provider.submit(job);
    const done = { id: 'video_1', status: 'completed', progress: 100, url: `${server.url}/files/film.mp4` };
    server.first.push((_seen, response) => sendJson(response, 200, done));
    const polled = await provider.poll('handle' in submitted ? submitted.handle : '', job);
    expect(polled.state === 'done' && polled.outputs).toHaveLength(1);
    expect(server.seen.at(-1)?.path).toBe('/files/film.mp4');
  });

  test('several outputs are several videos; cancel deletes them', async () => {
    const { server, provider } = await startOpenAiBackend('vllm-omni');
    const job = await filmJob({ outputs: 2 });
    expect(await runToEnd(provider, job)).toHaveLength(2);
    expect(server.runs.map(({ seed }) => seed)).toEqual(['3', '4']);
    const submitted = await provider.submit(await filmJob());
    expect(server.videos.has('video_3')).toBe(true);
    await provider.cancel?.('handle' in submitted ? submitted.handle : '', job);
    expect(server.videos.has('video_3')).toBe(false);
  });
});

describe('sound', () => {
  test('speech is returned as bytes', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    const route = {
      provider: 'openai',
      backend: 'gpu',
      model: 'tts-1',
      map: { text: 'input', voice: 'voice', speed: 'speed' },
      constants: { response_format: 'mp3' },
    };
    const job = await remoteJob({
      route,
      taskType: 'audio.tts',
      params: { text: 'Hello.', voice: 'alba', speed: 1.5 },
    });
    const [output] = await runToEnd(provider, job);
    expect(await readFile(output?.path ?? '', 'utf8')).toBe('ID3 sound');
    expect(server.runs[0]).toEqual({
      model: 'tts-1',
      input: 'Hello.',
      voice: 'alba',
      speed: 1.5,
      response_format: 'mp3',
    });
    server.first.push(
      (_seen, response) => sendJson(response, 200, { ok: true }),
      (_seen, response) => sendJson(response, 200, { ok: true }),
    );
    const again = await remoteJob({ route, taskType: 'audio.tts', params: { text: 'Hello.' } });
    expect(await refusalOf(provider.submit(again))).toMatchObject({ code: 'unavailable', retryable: true });
  });

  test('a transcript comes with subtitles', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    const route = {
      provider: 'openai',
      backend: 'gpu',
      model: 'whisper-1',
      map: { audio: 'file', language: { field: 'language', omit: ['auto'] } },
    };
    const job = await remoteJob({ route, taskType: 'audio.stt', params: { audio: 'a', language: 'auto' } });
    const [output] = await runToEnd(provider, {
      ...job,
      inputs: { audio: [await recording(join(job.workDir, 'input-a'))] },
    });
    expect(await readFile(output?.path ?? '', 'utf8')).toBe('One two. Three < four.\n');
    expect(await readFile(output?.subtitles?.srtPath ?? '', 'utf8')).toBe(
      '1\n00:00:00,000 --> 00:00:01,500\nOne two.\n\n2\n00:00:01,500 --> 01:01:01,250\nThree < four.\n',
    );
    expect(await readFile(output?.subtitles?.vttPath ?? '', 'utf8')).toBe(
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nOne two.\n\n00:00:01.500 --> 01:01:01.250\nThree &lt; four.\n',
    );
    expect(server.runs[0]).toMatchObject({ model: 'whisper-1', file: { name: 'input-0.wav', type: 'audio/wav' } });
    expect(server.runs[0]).not.toHaveProperty('language');
  });

  test('verbose_json is refused by some models: the constant of the route is respected', async () => {
    const { server, provider } = await startOpenAiBackend('openai');
    const route = {
      provider: 'openai',
      backend: 'gpu',
      model: 'gpt-4o-transcribe',
      map: { audio: 'file' },
      constants: { response_format: 'json' },
    };
    const job = await remoteJob({ route, taskType: 'audio.stt', params: { audio: 'a' } });
    const [output] = await runToEnd(provider, {
      ...job,
      inputs: { audio: [await recording(join(job.workDir, 'input-a'))] },
    });
    expect(server.runs[0]).toMatchObject({ response_format: 'json' });
    expect(output).not.toHaveProperty('subtitles');
  });
});
