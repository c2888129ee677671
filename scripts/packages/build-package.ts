import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';

const ROOT = resolve(import.meta.dirname, '../..');
const TSC = join(dirname(fileURLToPath(import.meta.resolve('typescript/package.json'))), 'bin/tsc');
const TIMEOUT_MS = 300_000;
/** The oldest Node that the packages support. */
const TARGET = 'node20';

/** Our own packages, by the name in their manifests. */
const SCOPE = '@atelier/';

export const PUBLISHED = ['sdk', 'cli', 'ai-sdk-provider'] as const;
export type PublishedPackage = (typeof PUBLISHED)[number];

interface Manifest {
  private?: boolean;
  exports?: Record<string, unknown>;
  bin?: Record<string, string>;
  dependencies?: Record<string, string>;
  [name: string]: unknown;
}

/** Writes a folder that `npm publish` can take: the built code in dist/, and a manifest that points to it. */
export async function buildPackage(name: PublishedPackage, target: string): Promise<void> {
  const source = join(ROOT, 'packages', name);
  await rm(target, { recursive: true, force: true });
  await mkdir(target, { recursive: true });
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8')) as Manifest;
  if (manifest.bin === undefined) await compile(manifest, { source, target: join(target, 'dist') });
  else await bundle(Object.values(manifest.bin)[0]!, { source, target: join(target, 'dist') });
  await writeFile(join(target, 'package.json'), `${JSON.stringify(publish(manifest), null, 2)}\n`);
  await copyFile(join(source, 'README.md'), join(target, 'README.md'));
  await copyFile(join(ROOT, 'LICENSE'), join(target, 'LICENSE'));
}

/** A library keeps its modules, so that bundlers can leave out what is not used, and has types. */
async function compile(manifest: Manifest, { source, target }: { source: string; target: string }): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'atelier-build-'));
  try {
    // Against the built packages of ours that it needs: their sources would be compiled into it.
    const paths: Record<string, string[]> = {};
    for (const dependency of Object.keys(manifest.dependencies ?? {})) {
      if (!dependency.startsWith(SCOPE)) continue;
      const built = join(scratch, dependency);
      await buildPackage(dependency.slice(SCOPE.length) as PublishedPackage, built);
      paths[dependency] = [join(built, 'dist/index.d.ts')];
    }
    const config = join(scratch, 'tsconfig.json');
    const compilerOptions = {
      rootDir: join(source, 'src'),
      outDir: target,
      paths,
      typeRoots: [join(ROOT, 'node_modules/@types')],
    };
    const include = [join(source, 'src')];
    const exclude = [join(source, 'src/**/*.test.ts')];
    await writeFile(
      config,
      JSON.stringify({ extends: join(source, 'tsconfig.json'), compilerOptions, include, exclude }),
    );
    const args = [TSC, '-p', config];
    await promisify(execFile)(process.execPath, args, { timeout: TIMEOUT_MS }).catch((error: { stdout?: string }) => {
      throw new Error(`tsc failed for ${source}:\n${error.stdout}`, { cause: error });
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A program is one file with everything that it needs. */
async function bundle(entry: string, { source, target }: { source: string; target: string }): Promise<void> {
  await build({
    root: source,
    configFile: false,
    logLevel: 'silent',
    ssr: { noExternal: true },
    build: { ssr: entry, outDir: target, emptyOutDir: true, target: TARGET },
  });
}

/** In the repository the entries are sources, so that nothing has to be built to run it. */
function publish({ private: _private, devDependencies: _bundled, ...manifest }: Manifest): Manifest {
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
