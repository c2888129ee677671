import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { compareBuilds, listArtifacts, writeChecksums } from './checksums.ts';
import { findVersionProblems } from './find-version-problems.ts';
import { normalizeSbom } from './make-sbom.ts';
import { packFiles, readFolder } from './pack-folder.ts';
import { readChangelog } from './read-changelog.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const SECONDS = 1_700_000_000;

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-release-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
});

describe('the version in CHANGELOG.md', () => {
  test('is the first heading that is a version', () => {
    expect(
      readChangelog('# Changelog\n\n## Unreleased\n\n## 2.1.0 (2026-11-16)\n\n- New.\n\n## 2.0.0\n\n- Old.\n'),
    ).toEqual({
      version: '2.1.0',
      notes: '- New.',
      hasUnreleased: false,
    });
  });

  test('entries above it are reported', () => {
    expect(readChangelog('## Unreleased\n\n- Later.\n\n## 1.0.0-rc.1\n').hasUnreleased).toBe(true);
  });

  test.each([
    ['no version', '# Changelog\n\n## Unreleased\n\n- New.\n', 'no version yet'],
    ['an incomplete version', '## 1.2\n', '"1.2" is neither'],
    ['a v before the version', '## v1.2.0\n', 'neither a version nor Unreleased'],
  ])('%s is an error', (_name, text, message) => {
    expect(() => readChangelog(text)).toThrow(message);
  });

  test('of this repository can be read', async () => {
    const { version } = readChangelog(await readFile(join(ROOT, 'CHANGELOG.md'), 'utf8'));
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });
});

describe('versions in the repository', () => {
  test('are all the same', async () => {
    const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    expect(await findVersionProblems(ROOT, version)).toEqual([]);
  });

  test('every place that has another one is named', async () => {
    const files = ['package.json', 'package-lock.json', 'packages/sdk/package.json', 'packages/sdk/src/version.ts'];
    for (const file of [...files, 'Dockerfile', 'compose.yaml', 'deploy/helm/atelier/Chart.yaml']) {
      await mkdir(dirname(join(dir, file)), { recursive: true });
      await cp(join(ROOT, file), join(dir, file));
    }
    const problems = await findVersionProblems(dir, '9.9.9');
    const named = new Set(problems.map((each) => each.split(' ')[0]));
    expect([...named]).toEqual([
      'package.json',
      'packages/sdk/package.json',
      'package-lock.json',
      'packages/sdk/src/version.ts',
      'Dockerfile',
      'compose.yaml',
      'deploy/helm/atelier/Chart.yaml',
    ]);
  });
});

describe('packFiles', () => {
  const fill = async (folder: string, names: readonly string[]) => {
    for (const name of names) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), `content of ${name}`);
    }
  };
  const pack = async (folder: string) => packFiles(await readFolder(folder, 'chart'), { seconds: SECONDS });

  test('equal content gives equal bytes, whatever the order and the times of the files', async () => {
    const names = ['b.yaml', 'a/z.yaml', 'a/b/c.yaml'];
    await fill(join(dir, 'one'), names);
    await fill(join(dir, 'two'), names.toReversed());
    await utimes(join(dir, 'two/b.yaml'), 1, 1);
    expect(Buffer.from(await pack(join(dir, 'one'))).equals(await pack(join(dir, 'two')))).toBe(true);
    await writeFile(join(dir, 'two/b.yaml'), 'content of c.yaml');
    expect(Buffer.from(await pack(join(dir, 'one'))).equals(await pack(join(dir, 'two')))).toBe(false);
  });

  test('tar reads it: paths, content, modes, times and no owner', async () => {
    const long = `${'folder-with-a-long-name/'.repeat(5)}file.yaml`;
    await fill(join(dir, 'in'), ['plain.yaml', long]);
    await writeFile(join(dir, 'in/run'), 'x'.repeat(512), { mode: 0o755 });
    await writeFile(join(dir, 'outside'), 'linked');
    await symlink('../outside', join(dir, 'in/link.json'));
    await writeFile(join(dir, 'chart.tgz'), await pack(join(dir, 'in')));
    const { stdout } = await run('tar', [
      '--list',
      '--verbose',
      '--full-time',
      '--utc',
      '--numeric-owner',
      '--file',
      join(dir, 'chart.tgz'),
    ]);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(/\s+/));
    expect(rows.map((row) => [row[0], row[1], row[2], row[3], row[5]])).toEqual([
      ['-rw-r--r--', '0/0', String(`content of ${long}`.length), '2023-11-14', `chart/${long}`],
      ['-rw-r--r--', '0/0', '6', '2023-11-14', 'chart/link.json'],
      ['-rw-r--r--', '0/0', '21', '2023-11-14', 'chart/plain.yaml'],
      ['-rwxr-xr-x', '0/0', '512', '2023-11-14', 'chart/run'],
    ]);
    await run('tar', ['--extract', '--file', join(dir, 'chart.tgz'), '--directory', dir]);
    expect(await readFile(join(dir, 'chart', long), 'utf8')).toBe(`content of ${long}`);
  });

  test('the archive itself has no time', async () => {
    await fill(join(dir, 'in'), ['a']);
    const bytes = Buffer.from(await pack(join(dir, 'in')));
    expect(bytes.readUInt32LE(4)).toBe(0);
    expect(gunzipSync(bytes).length % 512).toBe(0);
  });

  test('a path that does not fit is an error', () => {
    const path = 'x'.repeat(101);
    expect(() => packFiles([{ path, bytes: new Uint8Array(), isExecutable: false }], { seconds: 0 })).toThrow(
      'too long',
    );
  });
});

describe('checksums', () => {
  test('sha256sum accepts them', async () => {
    await writeFile(join(dir, 'b.tgz'), 'b');
    await writeFile(join(dir, 'a.tgz'), 'a');
    const artifacts = await writeChecksums(dir);
    expect(artifacts.map(({ name, bytes }) => [name, bytes])).toEqual([
      ['a.tgz', 1],
      ['b.tgz', 1],
    ]);
    const { stdout } = await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: dir });
    expect(stdout).toBe('a.tgz: OK\nb.tgz: OK\n');
    expect(await listArtifacts(dir)).toEqual(artifacts);
  });

  test('two builds differ by a changed, a missing and an additional file', () => {
    const file = (name: string, sha256: string) => ({ name, bytes: 1, sha256 });
    const first = [file('same', '1'), file('changed', '2'), file('missing', '3')];
    const second = [file('additional', '4'), file('changed', '5'), file('same', '1')];
    expect(compareBuilds(first, second)).toEqual(['additional', 'changed', 'missing']);
    expect(compareBuilds(first, first)).toEqual([]);
  });
});

test('a list of parts depends on neither the run nor the machine', () => {
  const print = (serial: string, folder: string, order: 1 | -1) =>
    JSON.stringify({
      serialNumber: serial,
      metadata: { timestamp: serial, component: { name: folder, purl: 'pkg:npm/atelier@1.0.0' } },
      components: [
        { 'bom-ref': 'a', externalReferences: [{ type: 'distribution', url: `https://${folder}/a` }, { type: 'vcs' }] },
        { 'bom-ref': 'b' },
      ]
        .slice(0)
        .sort(() => order),
      dependencies: [{ ref: 'b' }, { ref: 'a', dependsOn: ['d', 'c'] }],
    });
  const options = { seconds: SECONDS, name: 'atelier' };
  const first = normalizeSbom(print('one', 'here', 1), options);
  expect(first).toBe(normalizeSbom(print('two', 'there', -1), options));
  expect(JSON.parse(first)).toMatchObject({
    metadata: { timestamp: '2023-11-14T22:13:20.000Z', component: { name: 'atelier' } },
    components: [{ 'bom-ref': 'a', externalReferences: [{ type: 'vcs' }] }, { 'bom-ref': 'b' }],
    dependencies: [{ ref: 'a', dependsOn: ['c', 'd'] }, { ref: 'b' }],
  });
});
