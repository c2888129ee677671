import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const FONTS = ['geist', 'geist-mono'];

/** The Open Font License requires that its text ships with the fonts. */
const fontLicences: Plugin = {
  name: 'font-licences',
  generateBundle() {
    for (const font of FONTS) {
      const path = fileURLToPath(import.meta.resolve(`@fontsource-variable/${font}/LICENSE`));
      this.emitFile({ type: 'asset', fileName: `assets/${font}-license.txt`, source: readFileSync(path) });
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  plugins: [fontLicences],
  build: {
    outDir: 'dist',
    // The content security policy allows no data: links.
    assetsInlineLimit: 0,
    // Older targets replace light-dark() by variables that ignore the colour scheme of an area.
    target: 'esnext',
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      // Directives such as "use client" are for servers that render React.
      onLog(level, log, forward) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') forward(level, log);
      },
    },
  },
  server: {
    proxy: { '/api': process.env.CONSOLE_URL ?? 'http://localhost:8083' },
  },
});
