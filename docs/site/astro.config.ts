import { fileURLToPath } from 'node:url';
import { satteri } from '@astrojs/markdown-satteri';
import starlight from '@astrojs/starlight';
import { defineConfig, passthroughImageService } from 'astro/config';
import { finishSite } from '../../scripts/docs/finish-site.ts';
import { buildSidebar } from '../../scripts/docs/navigation.ts';
import { readPages, SITE_PATH } from '../../scripts/docs/pages.ts';

const pages = readPages();

/** On a busy machine, half a second for each line is not enough: its colours would be missing, and two builds would differ. */
const withoutTimeLimit = {
  name: 'without-time-limit',
  preprocess(_code: string, options: { tokenizeTimeLimit?: number }) {
    options.tokenizeTimeLimit = 0;
  },
};

export default defineConfig({
  base: SITE_PATH,
  trailingSlash: 'always',
  outDir: process.env.DOCS_OUT_DIR ?? './dist',
  cacheDir: '../../.cache/docs',
  // The pictures are made for the web already.
  image: { service: passthroughImageService() },
  // Straight quotes and `...` stay as they are written: code in prose is copied.
  markdown: { processor: satteri({ features: { smartPunctuation: false } }) },
  // Every script is a file, so that the policy of the pages allows no others.
  vite: { build: { assetsInlineLimit: 0 }, cacheDir: '../../.cache/docs/vite' },
  build: { inlineStylesheets: 'never' },
  prefetch: false,
  devToolbar: { enabled: false },
  integrations: [
    starlight({
      title: 'Atelier',
      logo: { src: './mark.svg' },
      favicon: '/favicon.svg',
      sidebar: buildSidebar(pages.map(({ id }) => id)),
      customCss: ['@fontsource-variable/geist', '@fontsource-variable/geist-mono', './src/styles/site.css'],
      components: { Head: './src/components/head.astro' },
      pagination: true,
      lastUpdated: false,
      credits: false,
      expressiveCode: {
        themes: ['github-dark', 'github-light'],
        shiki: { transformers: [withoutTimeLimit] },
        defaultProps: { frame: 'none', overridesByLang: { 'bash,sh,text': { wrap: true } } },
        styleOverrides: {
          borderRadius: '9px',
          codeFontSize: '0.8125rem',
          codeLineHeight: '1.6',
          frames: { frameBoxShadowCssValue: 'none' },
        },
      },
    }),
    {
      name: 'finish-site',
      hooks: { 'astro:build:done': ({ dir }) => finishSite(fileURLToPath(dir), pages) },
    },
  ],
});
