import { globSync, readFileSync } from 'node:fs';

export interface Step {
  readonly name: string;
  readonly says: string;
  /** A program and its arguments, or null if there is nothing to check. Programs in node_modules/.bin are found by name. */
  readonly command: (root: string) => readonly [string, ...string[]] | null;
  readonly env?: Readonly<Record<string, string>>;
  /** The step is skipped if the tool is not installed. */
  readonly optional?: true;
}

/** Longest first, so that short steps fill the gaps. */
export const steps: readonly Step[] = [
  {
    name: 'types',
    says: 'tsc over the whole repository',
    command: () => ['node', 'scripts/check/check-typescript.ts'],
  },
  {
    name: 'tidy',
    says: 'project rules: names, pages, SQL, file sizes (test/tidy.test.ts)',
    command: () => ['vitest', 'run', '--project', 'unit', 'test/tidy.test.ts'],
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
  },
  {
    name: 'generated',
    says: 'every generated file is up to date',
    command: () => ['node', 'scripts/generate.ts', '--check'],
  },
  {
    name: 'style',
    says: 'biome: format and lint',
    command: () => ['biome', 'check', '--error-on-warnings', '--diagnostic-level=warn'],
  },
  {
    name: 'shell',
    says: 'shellcheck over every shell script',
    command: (root) => {
      const scripts = findShellScripts(root);
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
