import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { HOME_PICTURES } from '../../docs/site/home.ts';
import type { Page } from './pages.ts';
import { renderLlmsFull, renderLlmsIndex, renderMarkdownPage } from './render-llms.ts';

const GALLERY = resolve(import.meta.dirname, '../../docs/gallery');
const INLINE_SCRIPT = /<script(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g;
/** Data, which no browser executes. */
const DATA = /type="(?:application\/(?:ld\+)?json|text\/template)"/;

/**
 * Adds to the built pages what Starlight does not write: the documents for language models, and the hashes of the scripts in
 * the pages, which the server allows in its policy.
 */
export async function finishSite(dir: string, pages: readonly Page[]): Promise<void> {
  const hashes = new Set<string>();
  for (const path of globSync('**/*.html', { cwd: dir })) {
    for (const [, attributes = '', text = ''] of (await readFile(join(dir, path), 'utf8')).matchAll(INLINE_SCRIPT)) {
      if (!DATA.test(attributes)) hashes.add(`sha256-${createHash('sha256').update(text).digest('base64')}`);
    }
  }
  await writeFile(join(dir, 'policy.json'), `${JSON.stringify({ scripts: [...hashes].toSorted() }, null, 2)}\n`);
  await mkdir(join(dir, 'home'));
  for (const { file } of HOME_PICTURES) await copyFile(join(GALLERY, file), join(dir, 'home', file));
  await writeFile(join(dir, 'llms.txt'), renderLlmsIndex(pages));
  await writeFile(join(dir, 'llms-full.txt'), renderLlmsFull(pages));
  for (const page of pages) {
    const file = join(dir, `${page.id === '' ? 'index' : page.id}.md`);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, renderMarkdownPage(page));
  }
}
