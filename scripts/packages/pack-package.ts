import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { buildPackage, type PublishedPackage } from './build-package.ts';

export interface PackedPackage extends AsyncDisposable {
  /** What `npm publish` takes, built. */
  readonly folder: string;
  readonly tarball: string;
  /** The files of the tarball. */
  readonly paths: readonly string[];
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The complaints of publint. */
  lint(): Promise<string[]>;
  /** How types fail to resolve in Node and in bundlers. */
  findTypeProblems(): Promise<unknown[]>;
}

/** Builds and packs a package, for tests of what users install. */
export async function packPackage(name: PublishedPackage): Promise<PackedPackage> {
  const scratch = await mkdtemp(join(tmpdir(), `atelier-${name}-`));
  const folder = join(scratch, 'package');
  await buildPackage(name, folder);
  const args = ['pack', '--json', '--pack-destination', scratch];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder });
  const [packed] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  const tarball = join(scratch, packed.filename);
  return {
    folder,
    tarball,
    paths: packed.files.map(({ path }) => path),
    manifest: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
    async lint() {
      const { messages, pkg } = await publint({ pkgDir: folder, level: 'suggestion', strict: true });
      return messages.map((message) => formatMessage(message, pkg as never) ?? message.code);
    },
    async findTypeProblems() {
      const result = await checkPackage(createPackageFromTarballData(new Uint8Array(await readFile(tarball))));
      // The packages have only ES modules: CommonJS of old Node cannot load them, and resolution without exports cannot find them.
      return (result.types === false ? ['no types'] : result.problems).filter(
        (problem) =>
          typeof problem === 'string' ||
          !('resolutionKind' in problem) ||
          !['node10', 'node16-cjs'].includes(problem.resolutionKind),
      );
    },
    [Symbol.asyncDispose]: () => rm(scratch, { recursive: true, force: true }),
  };
}
