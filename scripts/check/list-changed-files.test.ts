import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listChangedFiles } from './list-changed-files.ts';

async function makeRepository() {
  const root = await mkdtemp(join(tmpdir(), 'atelier-changed-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: root });
  const write = (name: string, text: string) => writeFile(join(root, name), text);
  git('init', '--quiet');
  return { root, git, write };
}

test('edited, staged and new files are listed; deleted, ignored and unchanged ones are not', async () => {
  const { root, git, write } = await makeRepository();
  await write('.gitignore', 'ignored.ts\n');
  for (const name of ['same.ts', 'edited.ts', 'staged.ts', 'deleted.ts']) await write(name, 'a');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  for (const name of ['edited.ts', 'staged.ts', 'new.ts', 'ignored.ts']) await write(name, 'b');
  git('add', 'staged.ts');
  await rm(join(root, 'deleted.ts'));
  expect(listChangedFiles(root).toSorted()).toEqual(['edited.ts', 'new.ts', 'staged.ts']);
});

test('commits that were not pushed are listed', async () => {
  const { root, git, write } = await makeRepository();
  await write('pushed.ts', 'a');
  git('add', '.');
  git('commit', '--quiet', '--message', 'first');
  git('branch', 'remote');
  git('branch', '--set-upstream-to', 'remote');
  await write('committed.ts', 'a');
  git('add', '.');
  git('commit', '--quiet', '--message', 'second');
  await write('new.ts', 'a');
  expect(listChangedFiles(root).toSorted()).toEqual(['committed.ts', 'new.ts']);
});
