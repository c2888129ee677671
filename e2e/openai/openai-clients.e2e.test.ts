import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { statement } from '@atelier/server/platform/db.ts';
import OpenAI, { toFile } from 'openai';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeFile, makeFolder } from '../files/make-file.ts';
import { makeAccount, makeKey, type TestAccount } from '../harness/account.ts';
import { until } from '../harness/client.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { libreChat, libreChatImage, openWebui, type ProgramFiles, type ProgramRequest } from './chat-programs.ts';
import { type LosingProxy, startLosingProxy } from './lose-first-answer.ts';

const run = promisify(execFile);
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

let stack: Stack;
let proxy: LosingProxy;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let account: TestAccount;
let key: string;
let client: OpenAI;
let picture: string;
let recording: string;

beforeAll(async () => {
  folder = await makeFolder();
  picture = await makeFile(folder.dir, 'png');
  recording = await makeFile(folder.dir, 'wav');
  stack = await startStack({ services: inject('services'), cdns: 1 });
  proxy = await startLosingProxy(stack.api().url);
  account = await makeAccount(stack);
  ({ key } = await makeKey(stack, account, { requestCap: 500 }));
  client = new OpenAI({ apiKey: key, baseURL: `${proxy.url}/openai/v1`, defaultHeaders: { 'X-Consent': 'true' } });
});
afterAll(async () => {
  await proxy?.close();
  await stack?.stop();
  await folder?.remove();
});

const pictureFile = async () => toFile(await readFile(picture), 'photo.png', { type: 'image/png' });
const countGenerations = async () => {
  const [row] = await stack.db.query<{ count: number }>(
    statement('e2e_openai_count', 'SELECT count(*)::int AS count FROM generation WHERE account_id = $1'),
    [account.accountId],
  );
  return row?.count ?? 0;
};

describe('the official package for Node', () => {
  test('generates images as base64 and as links', async () => {
    const inline = await client.images.generate({
      model: 'gpt-image-1',
      prompt: 'a lighthouse',
      n: 2,
      size: '1536x1024',
    });
    expect(inline.data).toHaveLength(2);
    for (const { b64_json } of inline.data ?? []) {
      expect(Buffer.from(b64_json ?? '', 'base64').subarray(0, 8)).toEqual(PNG);
    }
    const linked = await client.images.generate({ model: 'dall-e-3', prompt: 'a lighthouse', quality: 'hd' });
    const file = await fetch(linked.data?.[0]?.url ?? '');
    expect(Buffer.from(await file.arrayBuffer()).subarray(0, 8)).toEqual(PNG);
  });

  test('edits images, and makes variations', async () => {
    const images = [await pictureFile(), await pictureFile()];
    const edited = await client.images.edit({ image: images, prompt: 'add a hat', model: 'gpt-image-1' });
    expect(edited.data?.[0]?.b64_json).toBeTypeOf('string');
    const hole = await sharp(await readFile(picture))
      .ensureAlpha(0)
      .png()
      .toBuffer();
    const masked = await client.images.edit({
      image: await pictureFile(),
      mask: await toFile(hole, 'mask.png', { type: 'image/png' }),
      prompt: 'a cat',
      model: 'dall-e-2',
    });
    expect(masked.data?.[0]?.url).toMatch(/^http/);
    const varied = await client.images.createVariation({
      image: await pictureFile(),
      model: 'gmic-sketch',
      response_format: 'url',
    });
    expect(varied.data?.[0]?.url).toMatch(/^http/);
  });

  test('reads aloud, and transcribes', async () => {
    const speech = await client.audio.speech.create({ model: 'tts-1', voice: 'nova', input: 'Good morning.' });
    expect(speech.headers.get('content-type')).toMatch(/^audio\//);
    expect((await speech.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    const file = await toFile(await readFile(recording), 'note.wav', { type: 'audio/wav' });
    const transcript = await client.audio.transcriptions.create({ file, model: 'whisper-1' });
    expect(transcript.text.length).toBeGreaterThan(0);
    const subtitles = await client.audio.transcriptions.create({ file, model: 'whisper-1', response_format: 'vtt' });
    expect(subtitles).toMatch(/^WEBVTT/);
  });

  test('starts a video, polls it and downloads it', async () => {
    const made = await client.videos.create({
      model: 'sora-2',
      prompt: 'waves',
      seconds: '4',
      size: '1280x720',
      input_reference: await pictureFile(),
    });
    expect(made.status).toBe('queued');
    await until('the video', async () => (await client.videos.retrieve(made.id)).status === 'completed', 60_000, 500);
    expect(await client.videos.retrieve(made.id)).toMatchObject({ progress: 100 });
    const content = await client.videos.downloadContent(made.id);
    expect(content.headers.get('content-type')).toBe('video/mp4');
    expect((await content.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    const thumbnail = await client.videos.downloadContent(made.id, { variant: 'thumbnail' });
    expect(thumbnail.headers.get('content-type')).toMatch(/^image\//);
    await client.videos.create({ prompt: 'more waves' });
    const seen: string[] = [];
    for await (const video of client.videos.list({ limit: 1 })) seen.push(video.id);
    expect(seen).toHaveLength(2);
    expect(seen).toContain(made.id);
  });

  test('lists models', async () => {
    const ids: string[] = [];
    for await (const { id } of client.models.list()) ids.push(id);
    expect(ids).toEqual(expect.arrayContaining(['canvas', 'gpt-image-1', 'whisper-1', 'sora-2']));
  });

  test('pays once when an answer is lost and it retries', async () => {
    const before = await countGenerations();
    proxy.passed.length = 0;
    proxy.loseNext('/images/generations');
    const made = await client.images.generate({ model: 'canvas', prompt: 'a lost answer' });
    expect(made.data?.[0]?.b64_json).toBeTypeOf('string');
    expect(proxy.passed).toEqual(['0', '1']);
    proxy.loseNext('/images/edits');
    await client.images.edit({ image: await pictureFile(), model: 'prompt-edit', prompt: 'a lost edit' });
    expect(await countGenerations()).toBe(before + 2);
    await stack.assertBooks();
  });

  test('is told why a request is refused, and does not retry', async () => {
    proxy.passed.length = 0;
    const poor = new OpenAI({ apiKey: account.key, baseURL: `${proxy.url}/openai/v1` });
    await expect(poor.images.generate({ prompt: 'x' })).rejects.toMatchObject({
      status: 400,
      code: 'max_coins_required',
      message: expect.stringContaining('X-Max-Coins'),
    });
    const capped = new OpenAI({
      apiKey: account.key,
      baseURL: `${proxy.url}/openai/v1`,
      defaultHeaders: { 'X-Max-Coins': '1' },
    });
    await expect(capped.images.generate({ prompt: 'x' })).rejects.toMatchObject({
      status: 409,
      code: 'max_coins_exceeded',
    });
    const silent = new OpenAI({ apiKey: key, baseURL: `${proxy.url}/openai/v1` });
    const refusal = { status: 400, code: 'consent_required', message: expect.stringContaining('X-Consent: true') };
    const reference = { prompt: 'waves', input_reference: await pictureFile() };
    await expect(silent.videos.create(reference)).rejects.toMatchObject(refusal);
    await expect(silent.images.edit({ image: await pictureFile(), prompt: 'a hat' })).rejects.toMatchObject(refusal);
    await expect(client.images.generate({ prompt: 'sim:fail:content_policy' })).rejects.toMatchObject({
      status: 400,
      code: 'moderation_blocked',
    });
    expect(proxy.passed).toEqual(['0', '0', '0', '0', '0']);
  });

  test('sends the ceiling as a header', async () => {
    const roomy = new OpenAI({
      apiKey: account.key,
      baseURL: `${proxy.url}/openai/v1`,
      defaultHeaders: { 'X-Max-Coins': '100' },
    });
    expect((await roomy.images.generate({ prompt: 'a lighthouse' })).data).toHaveLength(1);
  });
});

describe('chat programs', () => {
  /** These programs cannot send the header of a consent: a proxy in front of them adds it. */
  const send = ({ path, body }: ProgramRequest, { consent = true } = {}) =>
    fetch(`${stack.api().url}/openai/v1${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(consent ? { 'x-consent': 'true' } : {}),
        ...(body instanceof FormData ? {} : { 'content-type': 'application/json' }),
      },
      body: body instanceof FormData ? body : JSON.stringify(body),
    });
  const readFiles = async (): Promise<ProgramFiles> => ({
    picture: new Uint8Array(await readFile(picture)),
    recording: new Uint8Array(await readFile(recording)),
  });
  const expectPicture = async (response: Response) => {
    const { data } = (await response.json()) as { data: Array<{ b64_json: string }> };
    expect(Buffer.from(data[0]?.b64_json ?? '', 'base64').subarray(0, 8)).toEqual(PNG);
  };
  const expectSpeech = async (response: Response) => {
    expect(response.headers.get('content-type')).toMatch(/^audio\//);
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
  };
  const expectText = async (response: Response) =>
    expect(await response.json()).toMatchObject({ text: expect.stringMatching(/./) });

  test('Open WebUI makes and edits images, reads aloud and transcribes', async () => {
    const files = await readFiles();
    await expectPicture(await send(openWebui.image()));
    await expectPicture(await send(openWebui.namedImage()));
    const refused = await send(openWebui.edit(files), { consent: false });
    expect(await refused.json()).toMatchObject({ error: { code: 'consent_required', param: 'X-Consent' } });
    await expectPicture(await send(openWebui.edit(files)));
    await expectPicture(await send(openWebui.editOfTwo(files)));
    await expectSpeech(await send(openWebui.speech()));
    await expectText(await send(openWebui.transcription(files)));
    // It looks for lists without a key, and takes 404 as none.
    for (const list of ['models', 'voices']) {
      expect((await fetch(`${stack.api().url}/openai/v1/audio/${list}`)).status).toBe(404);
    }
  });

  test('LibreChat makes and edits images, reads aloud and transcribes', async () => {
    const files = await readFiles();
    expect((await client.images.generate(libreChatImage)).data?.[0]?.b64_json).toBeTypeOf('string');
    await expectPicture(await send(libreChat.edit(files)));
    await expectSpeech(await send(libreChat.speech()));
    await expectText(await send(libreChat.transcription(files)));
  });
});

test('the official package for Python does the same, and pays once for a lost answer', {
  timeout: 600_000,
}, async () => {
  const before = await countGenerations();
  proxy.loseNext('/images/generations');
  const venv = await run(here('../../scripts/make-venv'), ['openai', here('requirements.txt')]);
  const { stdout } = await run(
    `${venv.stdout.trim()}/bin/python`,
    [here('official-client.py'), `${proxy.url}/openai/v1`, key, picture, recording],
    { timeout: 300_000 },
  );
  expect(JSON.parse(stdout)).toEqual({
    models: true,
    image: 'png',
    edit: 'png',
    variation: 'png',
    speech: true,
    transcript: true,
    video: 'completed',
    content: true,
    refused: 'max_coins_exceeded',
  });
  expect(await countGenerations()).toBe(before + 6);
  await stack.assertBooks();
});
