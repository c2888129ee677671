/** Renders the thumbnail of every effect by running it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type EngineName, engines } from '@atelier/engines/engines.ts';
import { runProgram } from '@atelier/engines/run-program.ts';
import { runEngine } from '@atelier/engines/testing/run-engine.ts';
import type { CatalogEffect } from '@atelier/server/domain/catalog/catalog.ts';
import { loadCatalog } from '@atelier/server/domain/catalog/load-catalog.ts';
import sharp from 'sharp';

const HELP = `Usage: node scripts/render-effect-thumbnails.ts [effect...] [--force] [--json] [--help]

Runs each effect with a local route on the inputs of the gallery, and writes a thumbnail of the result to
catalog/effects/thumbnails/<id>.webp. Effects that have a thumbnail are skipped.

  --force    render existing thumbnails again
  --json     print JSON
  --help     show this text
`;
const ROOT = resolve(import.meta.dirname, '..');
const INPUTS = join(ROOT, 'gallery/inputs');
const THUMBNAILS = join(ROOT, 'catalog/effects/thumbnails');
const SIDES = [320, 280, 240];
const MAX_BYTES = 20_000;
const QUALITIES = [80, 70, 60, 50, 40, 32];
const PICTURES = ['portrait.jpg', 'coffee.jpg', 'cat.jpg', 'rocket.jpg'];
const CLIP = 'person.mp4';
/** The time of the frame in the clip. */
const FRAME_SECONDS = '1.5';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    force: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit(0);
}

const catalog = await loadCatalog(join(ROOT, 'catalog'));
mkdirSync(THUMBNAILS, { recursive: true });
const rows: { id: string; state: string; bytes: number | null; seconds: number | null }[] = [];
for (const effect of catalog.effects.values()) {
  const { id } = effect.entry;
  if (positionals.length > 0 && !positionals.includes(id)) continue;
  const path = join(THUMBNAILS, `${id}.webp`);
  if (existsSync(path) && !values.force) {
    rows.push({ id, state: 'there', bytes: statSync(path).size, seconds: null });
    continue;
  }
  const startedAt = performance.now();
  const made = await render(effect, path);
  const seconds = Math.round(performance.now() - startedAt) / 1000;
  rows.push({ id, state: made ? 'drawn' : 'no local route', bytes: made ? statSync(path).size : null, seconds });
  if (!values.json) process.stdout.write(`${id.padEnd(24)} ${rows.at(-1)!.state}, ${seconds} s\n`);
}
if (values.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
process.exit(0);

async function render(effect: CatalogEffect, path: string): Promise<boolean> {
  const model = catalog.models.get(effect.entry.modelId);
  const route = model?.routes.find(({ provider }) => provider === 'local');
  const engine = route?.settings['engine'];
  if (model === undefined || route === undefined || typeof engine !== 'string' || !(engine in engines)) return false;
  const { input } = effect.entry;
  const dir = mkdtempSync(join(tmpdir(), 'atelier-thumbnail-'));
  try {
    const inputs: Record<string, string[]> =
      input.type === 'video'
        ? { video: [join(INPUTS, CLIP)] }
        : { images: PICTURES.slice(0, Math.max(input.min, Math.min(input.max, 2))).map((name) => join(INPUTS, name)) };
    const [output] = await runEngine(engine as EngineName, {
      taskType: model.entry.taskType,
      params: model.entry.defaults,
      inputs,
      settings: { ...route.settings, ...effect.settings },
      dir,
    });
    const picture = effect.entry.kind === 'video' ? await takeFrame(output!.path, dir) : output!.path;
    writeFileSync(path, await shrink(picture));
    return true;
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function takeFrame(video: string, dir: string): Promise<string> {
  const path = join(dir, 'frame.png');
  const args = ['-nostdin', '-v', 'error', '-protocol_whitelist', 'file,pipe', '-ss', FRAME_SECONDS, '-i', video];
  await runProgram({ path: 'ffmpeg', args: [...args, '-frames:v', '1', path], cwd: dir });
  return path;
}

/** The best quality under the size limit; images that compress poorly are scaled down. Never cropped. */
async function shrink(path: string): Promise<Buffer> {
  const source = readFileSync(path);
  for (const side of SIDES) {
    const small = sharp(source).resize(side, side, { fit: 'inside' });
    for (const quality of QUALITIES) {
      const bytes = await small.clone().webp({ quality, effort: 6 }).toBuffer();
      if (bytes.length <= MAX_BYTES) return bytes;
    }
  }
  throw new Error(`${path}: larger than ${MAX_BYTES} bytes at every quality`);
}
