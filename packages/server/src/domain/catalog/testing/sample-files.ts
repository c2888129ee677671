import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CatalogError } from '../catalog-error.ts';
import { loadCatalog } from '../load-catalog.ts';

export const MODELS = `listing: studio
vendor: Nobody
models:
  - id: canvas
    displayName: Canvas
    taskType: image.generate
    workspace: image
    order: 2
    deadlineSeconds: 60
    consent: false
    params:
      - { name: prompt, kind: text, required: true, maxLength: 100, ui: { control: prompt, group: prompt, order: 1 } }
      - { name: style, kind: enum, required: false, values: [ink, oil], ui: { control: select, group: basic, order: 2 } }
      - { name: speed, kind: range, required: false, min: 0, max: 1, step: 0.1, ui: { control: slider, group: basic, order: 3 } }
      - { name: seed, kind: seed, required: false, max: 10, ui: { control: seed, group: advanced, order: 4 } }
    defaults: { style: ink, speed: 0.3 }
    price: { perOutput: 7, lines: [{ label: Oil, coins: 2, when: { style: oil } }] }
    routes: [{ provider: local, engine: onnx, threads: 2 }, { provider: openai }]
  - id: painter
    displayName: Painter
    taskType: image.effect
    workspace: tools
    order: 1
    deadlineSeconds: 60
    consent: false
    params:
      - { name: images, kind: media_list, accept: image, required: true, minItems: 1, maxItems: 3, ui: { control: images, group: inputs, order: 1 } }
    inputLimits: { maxInputBytes: 100 }
    price: { perOutput: 3, lines: [{ label: Size, coins: 2, per: megapixel, of: images }] }
    routes: []
`;

export const EFFECTS = `effects:
  - { id: sketch, kind: image, category: style, order: 2, modelId: painter, input: { type: images, min: 1, max: 3 } }
  - { id: glow, kind: image, category: style, order: 1, modelId: painter, input: { type: images, min: 1, max: 1 }, surchargeCoins: 4, prompt: Glow. }
`;

/** A separate catalog folder for each test. */
export async function createSampleDir(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'catalog-'));
  await mkdir(join(dir, 'models'));
  await mkdir(join(dir, 'effects'));
  return dir;
}

interface Files {
  readonly models?: string;
  readonly effects?: string;
}

export async function loadSample(dir: string, { models = MODELS, effects = EFFECTS }: Files = {}) {
  await writeFile(join(dir, 'models/studio.yaml'), models);
  await writeFile(join(dir, 'effects/all.yaml'), effects);
  return loadCatalog(dir);
}

/** The errors of the files as `file:line: reason`; empty if they load. */
export async function errorsOf(files: Files = {}, dir?: string): Promise<readonly string[]> {
  const folder = dir ?? (await createSampleDir());
  try {
    await loadSample(folder, files);
    return [];
  } catch (error) {
    if (error instanceof CatalogError)
      return error.errors.map(({ file, line, reason }) => `${file}:${line}: ${reason}`);
    throw error;
  } finally {
    if (dir === undefined) await rm(folder, { recursive: true });
  }
}

/** Replaces one piece of the text; the piece must exist. */
export function change(text: string, from: string, to: string): string {
  if (!text.includes(from)) throw new Error(`the sample has no ${from}`);
  return text.replace(from, () => to);
}
