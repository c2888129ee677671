import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const ROOT = resolve(import.meta.dirname, '..');
const OWN_SCOPE = '@atelier';
const run = promisify(execFile);

export interface Installation {
  readonly dir: string;
  readonly commit: string;
  remove(): Promise<void>;
}

/** The newest tag before this commit. */
export async function findPreviousTag(): Promise<string> {
  try {
    return (await run('git', ['describe', '--tags', '--abbrev=0', 'HEAD^'], { cwd: ROOT })).stdout.trim();
  } catch {
    throw new RangeError('there is no earlier tag in this repository: name a commit with --from');
  }
}

/** Another version of this repository in a folder, ready to run. */
export async function installVersion(ref: string): Promise<Installation> {
  const { stdout } = await run('git', ['rev-parse', '--verify', `${ref}^{commit}`], { cwd: ROOT }).catch(() => {
    throw new RangeError(`there is no commit ${ref} in this repository`);
  });
  const commit = stdout.trim();
  const dir = await mkdtemp(join(tmpdir(), 'atelier-version-'));
  try {
    const archive = join(dir, 'source.tar');
    await run('git', ['archive', '--format=tar', `--output=${archive}`, commit], { cwd: ROOT });
    await run('tar', ['-xf', archive, '-C', dir]);
    await rm(archive);
    const [own, theirs] = await Promise.all(
      [ROOT, dir].map((each) => readFile(join(each, 'package-lock.json'), 'utf8')),
    );
    if (own === theirs) await linkPackages(dir);
    else await installPackages(dir);
  } catch (error) {
    await rm(dir, { recursive: true, force: true });
    throw error;
  }
  return { dir, commit, remove: () => rm(dir, { recursive: true, force: true }) };
}

/** The installed packages of this version, except our own. */
async function linkPackages(dir: string): Promise<void> {
  const modules = join(dir, 'node_modules');
  await mkdir(join(modules, OWN_SCOPE), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.') && name !== OWN_SCOPE)
      await symlink(join(ROOT, 'node_modules', name), join(modules, name));
  }
  for (const folder of await readdir(join(dir, 'packages'))) {
    const { name } = JSON.parse(await readFile(join(dir, 'packages', folder, 'package.json'), 'utf8')) as {
      name: string;
    };
    if (name.startsWith(`${OWN_SCOPE}/`)) await symlink(join(dir, 'packages', folder), join(modules, name));
    const nested = join('packages', folder, 'node_modules');
    if (existsSync(join(ROOT, nested))) await symlink(join(ROOT, nested), join(dir, nested));
  }
}

async function installPackages(dir: string): Promise<void> {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
  await run('npm', ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], {
    cwd: dir,
    env,
  });
}
