import { basename } from 'node:path';
import type { TrackedFile } from './tracked-files.ts';

/** Meaningless names, under which unrelated code collects. */
const BANNED = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'common',
  'shared',
  'types',
  'manager',
  'service',
  'base',
  'misc',
]);
const SOURCE = /\.(ts|tsx|mts|mjs|cjs|js)$/;
/** Only an entry of a package may be called index. */
const PUBLIC_ENTRIES = [
  'packages/contract/src/index.ts',
  'packages/contract/src/console/index.ts',
  'packages/contract/src/desk/index.ts',
  'packages/ai-sdk-provider/src/index.ts',
  'packages/contract/src/openai/index.ts',
  'packages/sdk/src/index.ts',
];

export function findBannedNames(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path }) => SOURCE.test(path))
    .filter(({ path }) => path.split('/').some((part) => wordsOf(part).some((word) => BANNED.has(word))))
    .map(({ path }) => `${path}: the name does not describe the content`);
}

function wordsOf(part: string): string[] {
  return part.replace(/\..*$/, '').split('-');
}

export function findStrayIndexes(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path }) => /(^|\/)index\.[a-z]+$/.test(path) && SOURCE.test(path) && !PUBLIC_ENTRIES.includes(path))
    .map(({ path }) => `${path}: index is reserved for the entry of a package`);
}

const KEBAB = /^\.?[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;
/** Names fixed by tools or convention; problem pages are named after their codes, migrations by number, Python modules as Python requires, template units as systemd does, charts as Helm does. */
const FIXED = [
  /(^|\/)(README|ARCHITECTURE|CONTRIBUTING|SECURITY|CHANGELOG|NOTICE|CODE_OF_CONDUCT|AGENTS)\.md$/,
  /(^|\/)(LICENSE|NOTICE|Dockerfile[.a-z-]*|Makefile)$/,
  /^docs\/problems\/[a-z_]+\.md$/,
  /\/migrations\/\d{4}_[a-z0-9_]+\.sql$/,
  /^clients\/python\/(.*\/)?[a-z0-9_]+\.py$/,
  /^deploy\/systemd\/[a-z-]+@\.service$/,
  /^deploy\/helm\/[a-z-]+\/(Chart\.yaml|templates\/(_[a-z-]+\.tpl|NOTES\.txt))$/,
];

export function findOddNames(files: readonly TrackedFile[]): string[] {
  return files
    .filter(({ path }) => !KEBAB.test(basename(path)) && !FIXED.some((fixed) => fixed.test(path)))
    .map(({ path }) => `${path}: file names are kebab-case`);
}
