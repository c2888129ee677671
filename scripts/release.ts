import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { buildArtifacts, type Release } from './release/build-artifacts.ts';
import { compareBuilds, listArtifacts, writeChecksums } from './release/checksums.ts';
import { findVersionProblems } from './release/find-version-problems.ts';
import { readChangelog } from './release/read-changelog.ts';

const HELP = `Builds the files of a release, twice, and compares them byte by byte: npm tarballs, Python wheel and source package, Helm chart, images, a list
of parts (CycloneDX) and SHA256SUMS. Publishes nothing.

Usage: npm run release [-- --dry-run] [-- --tag] [-- --snapshot] [-- --no-images] [-- --out DIR] [-- --json]

The version is the first one in CHANGELOG.md. The working tree must have no changes, every manifest must have that version, and no entry
may be above it in CHANGELOG.md.

  --dry-run     only say what would be built, and what prevents it
  --tag         then create the tag v<version>, annotated with the entries of CHANGELOG.md
  --snapshot    build the tree as it is, without these checks; cannot be tagged. Uses base images of npm run containers:test if there are any
  --no-images   leave out the images, which take several minutes and need podman
  --out DIR     where to write (default: release/<version>)
  --json        print one JSON object instead of lines
  --help        show this text
`;
const ROOT = resolve(import.meta.dirname, '..');
const STAND_INS = process.env.ATELIER_CONTAINERS_DIR ?? '/var/cache/atelier-containers';
const run = promisify(execFile);

class ReleaseError extends Error {}

async function git(...args: string[]): Promise<string> {
  return (await run('git', args, { cwd: ROOT })).stdout.trim();
}

/** The commit of the tag of this version, or an empty text. */
async function findTagged(version: string): Promise<string> {
  return (await git('tag', '--list', `v${version}`)) === '' ? '' : git('rev-parse', `refs/tags/v${version}^{commit}`);
}

async function findProblems(version: string, options: { hasUnreleased: boolean; commit: string }): Promise<string[]> {
  const changes = await git('status', '--porcelain');
  const tagged = await findTagged(version);
  return [
    ...(changes === '' ? [] : ['the working tree has changes: commit them']),
    ...(options.hasUnreleased ? ['CHANGELOG.md has unreleased entries: give them a heading with a new version'] : []),
    ...(tagged === '' || tagged === options.commit
      ? []
      : [`v${version} is another commit, ${tagged}: CHANGELOG.md needs a new version`]),
    ...(await findVersionProblems(ROOT, version)),
  ];
}

async function hasPodman(): Promise<boolean> {
  return run('podman', ['--version']).then(
    () => true,
    () => false,
  );
}

const { values: options } = parseArgs({
  options: {
    'dry-run': { type: 'boolean', default: false },
    tag: { type: 'boolean', default: false },
    snapshot: { type: 'boolean', default: false },
    'no-images': { type: 'boolean', default: false },
    out: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const say = (text: string) => {
  if (!options.json) console.log(text);
};

async function chooseImages(): Promise<{ images: Release['images']; skipped: string[] }> {
  if (options['no-images']) return { images: 'none', skipped: ['images: --no-images'] };
  if (!(await hasPodman())) return { images: 'none', skipped: ['images: podman is not installed'] };
  const standIns = options.snapshot && existsSync(join(STAND_INS, 'storage'));
  return { images: standIns ? 'stand-ins' : 'official', skipped: [] };
}

/** Builds twice. Returns the files of the first build if the second one has the same bytes. */
async function buildTwice(release: Release, out: string) {
  const work = await mkdtemp(join(tmpdir(), 'atelier-release-'));
  try {
    const folders = [join(work, 'first'), join(work, 'second')] as const;
    for (const [index, folder] of folders.entries()) {
      await buildArtifacts(folder, release, (name) => say(`build ${index + 1} of 2: ${name}`));
    }
    const [first, second] = await Promise.all(folders.map(listArtifacts));
    const different = compareBuilds(first ?? [], second ?? []);
    if (different.length > 0) throw new ReleaseError(`two builds differ: ${different.join(', ')}`);
    await rm(out, { recursive: true, force: true });
    await cp(folders[0], out, { recursive: true });
    return await writeChecksums(out);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function createTag(version: string, notes: string): Promise<string> {
  if ((await findTagged(version)) !== '') return `v${version}`;
  // Headings of the notes are no comments.
  const cleanup = '--cleanup=whitespace';
  await git('tag', '--annotate', cleanup, '--message', `Atelier ${version}\n\n${notes}\n`, `v${version}`);
  return `v${version}`;
}

async function main(): Promise<void> {
  if (options.tag && (options.snapshot || options['dry-run'])) throw new ReleaseError('--tag needs a whole release');
  const changelog = readChangelog(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'));
  const { version } = changelog;
  const [commit, seconds] = [await git('rev-parse', 'HEAD'), Number(await git('log', '-1', '--format=%ct'))];
  const problems = options.snapshot ? [] : await findProblems(version, { ...changelog, commit });
  const { images, skipped } = await chooseImages();
  const out = resolve(options.out ?? join(ROOT, 'release', version));
  if (options['dry-run']) {
    if (options.json) console.log(JSON.stringify({ version, commit, out, images, skipped, problems }, null, 2));
    else {
      console.log(`version ${version}, commit ${commit}, into ${relative(ROOT, out) || '.'}`);
      for (const each of skipped) console.log(`skipped: ${each}`);
      for (const each of problems) console.log(`problem: ${each}`);
    }
    process.exitCode = problems.length === 0 ? 0 : 1;
    return;
  }
  if (problems.length > 0) throw new ReleaseError(problems.join('\n'));
  const files = await buildTwice({ version, commit, seconds, images }, out);
  const tag = options.tag ? await createTag(version, changelog.notes) : null;
  if (options.json) console.log(JSON.stringify({ version, commit, out, skipped, files, tag }, null, 2));
  else {
    for (const { name, bytes, sha256 } of files) console.log(`${sha256.slice(0, 12)}  ${bytes}  ${name}`);
    for (const each of skipped) console.log(`skipped: ${each}`);
    console.log(
      `${files.length} files in ${out}, built twice with the same bytes${tag === null ? '' : `, tagged ${tag}`}`,
    );
  }
}

if (options.help) process.stdout.write(HELP);
else {
  await main().catch((error: unknown) => {
    if (options.json) console.log(JSON.stringify({ error: (error as Error).message }));
    else console.error((error as Error).message);
    process.exitCode = 1;
  });
}
