import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';

export interface Step {
  readonly name: string;
  readonly says: string;
  /** A program and its arguments, or null if there is nothing to check. Programs in node_modules/.bin are found by name. */
  readonly command: (root: string) => readonly [string, ...string[]] | null;
  readonly env?: Readonly<Record<string, string>>;
  /** The step is skipped if the tool is not installed. */
  readonly optional?: true;
  /** With --changed: the command for these files, or null if they do not concern the step. Absent: the step reads the whole repository and does not run. */
  readonly changed?: (files: readonly string[], root: string) => readonly [string, ...string[]] | null;
}

type Command = readonly [string, ...string[]];

/** The native compiler: a tenth of the time of the JavaScript one, which other tools use as a library. */
const typesOf = (project: string, cache: string): Command => [
  'node_modules/@typescript/native/bin/tsc',
  ...['-p', project, '--noEmit', '--incremental', '--tsBuildInfoFile', `.cache/types-${cache}.tsbuildinfo`],
];
const BIOME: Command = ['biome', 'check', '--error-on-warnings', '--diagnostic-level=warn'];
const ifAny = (files: readonly string[], pattern: RegExp, command: Command): Command | null =>
  files.some((path) => pattern.test(path)) ? command : null;

/** Longest first, so that short steps fill the gaps. */
export const steps: readonly Step[] = [
  {
    name: 'types',
    says: 'tsc over everything that runs in Node',
    command: () => typesOf('tsconfig.json', 'server'),
    changed: (files) => ifAny(files, /\.(ts|json)$/, typesOf('tsconfig.json', 'server')),
  },
  {
    name: 'pages',
    says: 'tsc over the pages of the console, with the globals of a browser',
    command: () => typesOf('packages/console/tsconfig.json', 'console'),
    changed: (files) =>
      ifAny(files, /^packages\/(console|contract)\//, typesOf('packages/console/tsconfig.json', 'console')),
  },
  {
    name: 'tidy',
    says: 'project rules: names, pages, SQL, file sizes (test/tidy.test.ts)',
    command: () => ['vitest', 'run', '--project', 'unit', 'test/tidy.test.ts'],
    changed: () => ['vitest', 'run', '--project', 'unit', 'test/tidy.test.ts'],
  },
  {
    name: 'openapi',
    says: 'redocly over openapi.json',
    command: () => ['redocly', 'lint', '--config', 'scripts/check/redocly.yaml', 'packages/contract/openapi.json'],
    env: { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  },
  { name: 'unused', says: 'knip: unused files, exports and dependencies', command: () => ['knip', '--no-progress'] },
  {
    name: 'direction',
    says: 'dependency-cruiser: import direction and cycles',
    command: () => ['node', 'scripts/check/check-direction.ts'],
  },
  {
    name: 'additive',
    says: 'openapi.json has no breaking change since the last release',
    command: () => ['node', 'scripts/check/check-additive.ts'],
    changed: (files) => ifAny(files, /^packages\/contract\//, ['node', 'scripts/check/check-additive.ts']),
  },
  {
    name: 'generated',
    says: 'every generated file is up to date',
    command: () => ['node', 'scripts/generate.ts', '--check'],
    changed: () => ['node', 'scripts/generate.ts', '--check'],
  },
  {
    name: 'style',
    says: 'biome: format and lint',
    command: () => BIOME,
    changed: (files) => [...BIOME, '--no-errors-on-unmatched', ...files],
  },
  {
    name: 'shell',
    says: 'shellcheck over every shell script',
    command: (root) => {
      const scripts = findShellScripts(root);
      return scripts.length === 0 ? null : ['shellcheck', ...scripts];
    },
    changed: (files, root) => {
      const scripts = findShellScripts(root).filter((path) => files.includes(relative(root, path)));
      return scripts.length === 0 ? null : ['shellcheck', ...scripts];
    },
    optional: true,
  },
];

/** By file extension or shebang: `.ci/run` has no extension. */
function findShellScripts(root: string): string[] {
  const places = ['.ci/*', 'scripts/**/*', 'bench/**/*', 'chaos/**/*', 'docs/**/*', '*.sh'];
  return globSync(places, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`)
    .filter((path) => path.endsWith('.sh') || /^#!.*\b(ba|da)?sh\b/.test(firstLine(path)));
}

function firstLine(path: string): string {
  return readFileSync(path, 'latin1').split('\n', 1)[0] ?? '';
}
