import { join } from 'node:path';
import { mergeConfig } from 'vite';
import base from './vite.config.ts';

/** The operator's desk is a build of its own: the listener of the console serves none of its files. */
export default mergeConfig(base, {
  root: join(import.meta.dirname, 'desk'),
  build: { outDir: '../dist-desk', emptyOutDir: true },
  server: { proxy: { '/api': process.env.DESK_URL ?? 'http://localhost:8084' } },
});
