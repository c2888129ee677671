import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'vite';

/** The drawings, by file name without extension. */
export const DRAWINGS = ['keys', 'webhook', 'generation', 'playground', 'operator', 'components'] as const;
export type Drawing = (typeof DRAWINGS)[number];

export interface BuiltDrawings extends AsyncDisposable {
  readonly dir: string;
}

/** Builds the drawings as the console is built for release, into a temporary folder. */
export async function buildDrawings(): Promise<BuiltDrawings> {
  const dir = await mkdtemp(join(tmpdir(), 'atelier-drawings-'));
  await build({
    root: import.meta.dirname,
    base: './',
    configFile: false,
    logLevel: 'error',
    build: {
      outDir: dir,
      // The policy of the console allows no data: links.
      assetsInlineLimit: 0,
      // Older targets replace light-dark() by variables that ignore the colour scheme of an area.
      target: 'esnext',
      modulePreload: false,
      rolldownOptions: { input: DRAWINGS.map((name) => join(import.meta.dirname, `${name}.html`)) },
    },
  });
  return { dir, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) };
}
