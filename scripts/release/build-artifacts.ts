import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { buildPackage, PUBLISHED } from '../packages/build-package.ts';
import { normalizeSbom } from './make-sbom.ts';
import { packFiles, readFolder } from './pack-folder.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const STEP_TIMEOUT_MS = 600_000;
const IMAGES_TIMEOUT_MS = 5_400_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

export interface Release {
  readonly version: string;
  readonly commit: string;
  /** When the commit was made: the time of every file. */
  readonly seconds: number;
  /** `stand-ins`: on base images made from Debian packages, to try the build on a machine without a registry of images. */
  readonly images: 'official' | 'stand-ins' | 'none';
}

const BUILDERS: readonly { readonly name: string; readonly build: (dir: string, release: Release) => Promise<void> }[] =
  [
    { name: 'npm packages', build: buildNpmPackages },
    { name: 'Python packages', build: buildPythonPackages },
    { name: 'Helm chart', build: buildChart },
    { name: 'list of parts', build: buildSbom },
    { name: 'images', build: buildImages },
  ];

/** Writes every file of a release into `dir`, which must not exist. */
export async function buildArtifacts(
  dir: string,
  release: Release,
  onStep: (name: string) => void = () => {},
): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const { name, build } of BUILDERS) {
    if (name === 'images' && release.images === 'none') continue;
    onStep(name);
    await build(dir, release);
  }
}

/** npm gives every file in a tarball the same time. */
async function buildNpmPackages(dir: string): Promise<void> {
  for (const name of PUBLISHED) {
    await inScratch(async (folder) => {
      await buildPackage(name, folder);
      await call('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', dir], { cwd: folder });
    });
  }
}

/** hatchling builds reproducibly with SOURCE_DATE_EPOCH. */
async function buildPythonPackages(dir: string, release: Release): Promise<void> {
  const python = join(ROOT, 'clients/python');
  const { stdout } = await call(join(ROOT, 'scripts/make-venv'), ['python-client', 'requirements-dev.txt'], {
    cwd: python,
  });
  await inScratch(async (out) => {
    await call(join(stdout.trim(), 'bin/python'), ['-m', 'build', '--no-isolation', '--outdir', out, '.'], {
      cwd: python,
      env: { SOURCE_DATE_EPOCH: String(release.seconds), PYTHONDONTWRITEBYTECODE: '1' },
    });
    for (const { path, bytes } of await readFolder(out, '.')) {
      if (!path.endsWith('.gitignore')) await writeFile(join(dir, path), bytes);
    }
  });
}

/** Not by `helm package`, which writes the present time into the archive. */
async function buildChart(dir: string, { version, seconds }: Release): Promise<void> {
  const files = await readFolder(join(ROOT, 'deploy/helm/atelier'), 'atelier');
  await writeFile(join(dir, `atelier-${version}.tgz`), packFiles(files, { seconds }));
}

async function buildSbom(dir: string, { version, seconds }: Release): Promise<void> {
  const args = ['sbom', '--package-lock-only', '--omit', 'dev', '--sbom-format', 'cyclonedx'];
  const { stdout } = await call('npm', args, { cwd: ROOT });
  const { name } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { name: string };
  await writeFile(join(dir, `atelier-${version}.cdx.json`), normalizeSbom(stdout, { seconds, name }));
}

async function buildImages(dir: string, { version, commit, seconds, images }: Release): Promise<void> {
  await call(join(ROOT, 'scripts/release/save-images'), [dir, version, commit, String(seconds), images], {
    cwd: ROOT,
    timeoutMs: IMAGES_TIMEOUT_MS,
  });
}

async function inScratch(work: (folder: string) => Promise<void>): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'atelier-release-'));
  try {
    await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function call(
  program: string,
  args: readonly string[],
  options: { cwd: string; env?: Record<string, string>; timeoutMs?: number },
): Promise<{ stdout: string }> {
  try {
    return await run(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      timeout: options.timeoutMs ?? STEP_TIMEOUT_MS,
      maxBuffer: MAX_OUTPUT_BYTES,
    });
  } catch (error) {
    const { stderr = '', stdout = '' } = error as { stderr?: string; stdout?: string };
    throw new Error(`${program} ${args[0]} failed:\n${`${stdout}\n${stderr}`.trim().slice(-4_000)}`, { cause: error });
  }
}
