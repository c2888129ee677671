import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AccountMedia } from './create-media.ts';
import { MediaRefused } from './media-facts.ts';
import { createMediaTools, type MediaToolBox, type MediaTools } from './media-tools.ts';
import { prepareUpload } from './prepare-upload.ts';
import { makeSamples, runFfmpeg } from './testing/make-samples.ts';
import { startMedia, type TestMedia } from './testing/start-media.ts';

let started: TestMedia;
let dir: string;
let media: AccountMedia;
let samples: Record<string, string>;
let box: MediaToolBox;
/** Programs started since the last preparation began. */
let runs: string[] = [];
let tools: MediaTools;

beforeAll(async () => {
  started = await startMedia();
  ({ dir, media } = started);
  samples = await makeSamples(dir);
  const spoolDir = join(dir, 'counted');
  await mkdir(spoolDir);
  box = createMediaTools({ spoolDir, confinement: 'bwrap', ffmpegPath: 'ffmpeg', ffprobePath: 'ffprobe' });
  const inner = box.of('test');
  tools = {
    probe: inner.probe,
    runProgram: (job) => {
      runs.push(job.program);
      return inner.runProgram(job);
    },
  };
});

afterAll(async () => {
  await box?.close();
  await started?.stop();
});

async function prepare(path: string, name: string) {
  const outDir = join(dir, `prepared-${name}`);
  const cleanPath = join(outDir, 'clean');
  await mkdir(outDir, { recursive: true });
  runs = [];
  return { outDir, cleanPath, prepared: prepareUpload(tools, { path, outDir, cleanPath }) };
}

test('one run of ffmpeg gives what separate runs give', { timeout: 120_000 }, async () => {
  for (const [mimeType, path] of Object.entries(samples)) {
    const { cleanPath, outDir, prepared } = await prepare(path, mimeType.replace('/', '-'));
    const { facts, previews } = await prepared;
    const together = runs.filter((program) => program === 'ffmpeg');
    expect(together, mimeType).toHaveLength(facts.kind === 'image' ? 0 : 1);

    const alone = join(dir, 'alone');
    const expected = await media.inspectAndPreview({ path, purpose: 'upload', outDir: alone });
    await media.stripMetadata({ path, mimeType: facts.mimeType, outPath: join(alone, 'clean') });
    expect(facts).toEqual(expected.facts);
    expect((await readFile(cleanPath)).equals(await readFile(join(alone, 'clean'))), mimeType).toBe(true);
    for (const name of ['thumbnail', 'poster', 'waveform'] as const) {
      const [made, wanted] = [previews[name], expected.previews[name]];
      expect(made?.mimeType).toBe(wanted?.mimeType);
      if (made && wanted) expect((await readFile(made.path)).equals(await readFile(wanted.path)), name).toBe(true);
    }
    expect((await readdir(outDir)).filter((name) => name.startsWith('clean-'))).toEqual([]);
  }
});

test('a video with damaged frames is accepted as before: the poster is another frame', async () => {
  const whole = join(dir, 'whole.mp4');
  await runFfmpeg([
    ...['-f', 'lavfi', '-i', 'testsrc2=s=320x240:r=10:d=10', '-c:v', 'libx264', '-preset', 'ultrafast'],
    ...['-g', '1', '-pix_fmt', 'yuv420p', '-movflags', '+faststart', whole],
  ]);
  const bytes = await readFile(whole);
  // All frames but the first few.
  const at = bytes.indexOf('mdat') + 4;
  bytes.fill(0, at + Math.floor((bytes.length - at) * 0.05));
  const path = join(dir, 'damaged.mp4');
  await writeFile(path, bytes);
  const { cleanPath, prepared } = await prepare(path, 'damaged');
  const { facts, previews } = await prepared;
  expect(runs.filter((program) => program === 'ffmpeg').length).toBeGreaterThan(1);
  expect(facts.kind).toBe('video');
  expect(previews.poster?.bytes).toBeGreaterThan(100);
  expect((await readFile(cleanPath)).length).toBeGreaterThan(bytes.length * 0.9);
});

test('a refused file leaves neither a copy nor a folder', async () => {
  const bytes = await readFile(samples['video/mp4']!);
  const at = bytes.indexOf('mdat');
  bytes.fill(0, at + 4, bytes.indexOf('moov') > at ? bytes.indexOf('moov') - 4 : bytes.length);
  const path = join(dir, 'empty-frames.mp4');
  await writeFile(path, bytes);
  const { outDir, prepared } = await prepare(path, 'refused');
  await expect(prepared).rejects.toThrow(MediaRefused);
  expect(await readdir(outDir)).toEqual([]);
});
