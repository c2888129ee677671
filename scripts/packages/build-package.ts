import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
const TIMEOUT_MS = 300_000;

export const PUBLISHED = ['sdk'] as const;
export type PublishedPackage = (typeof PUBLISHED)[number];

interface Manifest {
  private?: boolean;
  exports?: Record<string, unknown>;
  bin?: Record<string, string>;
  [name: string]: unknown;
}

/** Writes a folder that `npm publish` can take: JavaScript and types in dist/, and a manifest that points to them. */
export async function buildPackage(name: PublishedPackage, target: string): Promise<void> {
  const source = join(ROOT, 'packages', name);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const args = [TSC, '-p', join(source, 'tsconfig.json'), '--outDir', join(target, 'dist')];
  await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS }).catch((error: { stdout?: string }) => {
    throw new Error(`tsc failed for ${name}:\n${error.stdout}`, { cause: error });
  });
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest;
  await writeFile(join(target, 'package.json'), `${JSON.stringify(publish(manifest), null, 2)}\n`);
  await copyFile(join(source, 'README.md'), join(target, 'README.md'));
  await copyFile(join(ROOT, 'LICENSE'), join(target, 'LICENSE'));
}

/** In the repository the entries are sources, so that nothing has to be built to run it. */
function publish({ private: _private, ...manifest }: Manifest): Manifest {
  const built = (path: string, extension: string) => path.replace(/^\.\/src\/(.*)\.ts$/, `./dist/$1${extension}`);
  const { exports: entries, bin } = manifest;
  return {
    ...manifest,
    ...(entries === undefined
      ? {}
      : {
          exports: Object.fromEntries(
            Object.entries(entries as Record<string, string>).map(([entry, path]) => [
              entry,
              { types: built(path, '.d.ts'), default: built(path, '.js') },
            ]),
          ),
        }),
    ...(bin === undefined
      ? {}
      : { bin: Object.fromEntries(Object.entries(bin).map(([name, path]) => [name, built(path, '.js')])) }),
    files: ['dist'],
  };
}
