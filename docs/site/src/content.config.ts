import { defineCollection } from 'astro:content';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { docsSchema } from '@astrojs/starlight/schema';
import { groupTabs } from '../../../scripts/docs/group-tabs.ts';
import { readPages, rewriteLinks } from '../../../scripts/docs/pages.ts';
import { home } from '../home.ts';

const ROOT = new URL('../../../', import.meta.url);

/** Starlight expects a title in the front matter of each file. Our documents have a first heading instead. */
export const collections = {
  docs: defineCollection({
    schema: docsSchema(),
    loader: {
      name: 'documents',
      async load({ store, parseData, renderMarkdown, generateDigest, watcher, config }) {
        const sync = async () => {
          store.clear();
          for (const page of readPages()) {
            const id = page.id === '' ? 'index' : page.id;
            const file = new URL(page.source, ROOT);
            const data = await parseData({
              id,
              data: { title: page.title, description: page.description, ...(id === 'index' ? home : {}) },
              filePath: fileURLToPath(file),
            });
            const body = arrange(id, groupTabs(rewriteLinks(page.body, page.source)));
            const rendered = await renderMarkdown(body, { fileURL: file });
            store.set({
              id,
              data,
              body: page.body,
              filePath: relative(fileURLToPath(config.root), fileURLToPath(file)),
              digest: generateDigest(readFileSync(file, 'utf8')),
              rendered,
              assetImports: rendered.metadata?.imagePaths,
            });
          }
        };
        await sync();
        watcher?.add(fileURLToPath(new URL('docs/', ROOT)));
        watcher?.on('change', (path) => void (path.endsWith('.md') && sync()));
      },
    },
  }),
};

/** Elements that the styles arrange: the sections of the home page side by side, the rows of the gallery as cards. */
function arrange(id: string, markdown: string): string {
  if (id === 'gallery') return `<div class="gallery">\n\n${markdown}\n\n</div>`;
  if (id !== 'index') return markdown;
  const [, ...sections] = markdown.split(/^(?=## )/m);
  return `<div class="home-sections">\n${sections.map((text) => `<section>\n\n${text}\n\n</section>`).join('\n')}\n</div>\n`;
}
