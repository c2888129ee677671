import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { documents } from './documents.ts';
import { readFences } from './read-fences.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 300_000;

test(
  'the TypeScript of the documents has no type error',
  () => {
    // Below the root, so that the packages of the workspace are found.
    const cache = join(ROOT, '.cache');
    mkdirSync(cache, { recursive: true });
    const dir = mkdtempSync(join(cache, 'check-snippets-'));
    try {
      const files = documents().flatMap(({ source, text }) => {
        const fences = readFences(text).filter(({ language, meta }) => language === 'ts' && !meta.includes('no-run'));
        // A server is a program of its own; the other blocks of a page are one.
        const programs = [
          fences.filter(({ meta }) => !meta.includes('server')),
          ...fences.filter(({ meta }) => meta.includes('server')).map((fence) => [fence]),
        ].filter((blocks) => blocks.length > 0);
        return programs.map((blocks, n) => {
          const path = join(dir, `${source.replaceAll(/[^a-z0-9]+/gi, '-')}-${n}.ts`);
          writeFileSync(path, `${blocks.map(({ text: code }) => code).join('\n')}\nexport {};\n`);
          return path;
        });
      });
      const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile);
      const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, ROOT);
      // Readers may have looser settings; a program is not wrong because it leaves a value unused.
      const program = ts.createProgram(files, { ...options, noUnusedLocals: false, exactOptionalPropertyTypes: false });
      const faults = files.flatMap((file) =>
        ts
          .getPreEmitDiagnostics(program, program.getSourceFile(file))
          .map(
            ({ messageText }) => `${file.slice(dir.length + 1)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
          ),
      );
      expect(faults).toEqual([]);
      expect(files.length).toBeGreaterThan(8);
    } finally {
      rmSync(dir, { recursive: true, force: true });
    }
  },
  TIMEOUT_MS,
);
