import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CI_STAGES } from '../scripts/stages/ci-stages.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDER = join(ROOT, '.github/workflows');
const MAX_MINUTES = 180;

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly name?: string;
}

interface Job {
  readonly 'runs-on'?: string;
  readonly 'timeout-minutes'?: number;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly strategy?: { readonly matrix: { readonly stage: readonly string[] } };
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly name?: string;
  readonly on?: object;
  readonly permissions?: Readonly<Record<string, string>>;
  readonly jobs?: Readonly<Record<string, Job>>;
}

const workflows = await Promise.all(
  (await readdir(FOLDER)).sort().map(async (file) => {
    const text = await readFile(join(FOLDER, file), 'utf8');
    return [file, parse(text, { strict: true, uniqueKeys: true }) as Workflow, text] as const;
  }),
);
const jobsOf = ({ jobs = {} }: Workflow) => Object.entries(jobs);
const stepsOf = (workflow: Workflow) => jobsOf(workflow).flatMap(([, { steps = [] }]) => steps);
const commandsOf = (workflow: Workflow) => stepsOf(workflow).flatMap(({ run }) => (run === undefined ? [] : [run]));

test('there is one workflow for changes and one for releases', () => {
  expect(workflows.map(([file]) => file)).toEqual(['ci.yml', 'release.yml']);
});

test.each(workflows)('%s reads the repository, and writes only in jobs that say so', (_file, workflow) => {
  expect(workflow.permissions).toEqual({ contents: 'read' });
  expect(workflow.on).toBeTypeOf('object');
  for (const [name, { permissions = {} }] of jobsOf(workflow)) {
    if (name !== 'draft') expect(permissions, name).toEqual({});
  }
});

test.each(workflows)('%s: each job has a machine, a limit of time and steps', (_file, workflow) => {
  expect(jobsOf(workflow).length).toBeGreaterThan(0);
  for (const [name, job] of jobsOf(workflow)) {
    expect(job['runs-on'], name).toMatch(/^ubuntu-\d+\.\d+(-arm)?$/);
    expect(job['timeout-minutes'], name).toBeLessThanOrEqual(MAX_MINUTES);
    expect(job.steps?.length, name).toBeGreaterThan(0);
    if (job.needs !== undefined) expect(Object.keys(workflow.jobs ?? {})).toContain(job.needs);
    for (const step of job.steps ?? []) {
      expect(
        [step.uses, step.run].filter((each) => each !== undefined),
        JSON.stringify(step),
      ).toHaveLength(1);
    }
  }
});

test.each(workflows)('%s uses only actions of GitHub, with a version', (_file, workflow) => {
  for (const { uses } of stepsOf(workflow)) {
    if (uses !== undefined) expect(uses).toMatch(/^actions\/[a-z-]+@(v\d+(\.\d+\.\d+)?|[0-9a-f]{40})$/);
  }
});

test.each(workflows)('%s puts no text of others into a shell', (_file, workflow) => {
  // An expression becomes part of the script: the title of a pull request could then be a command.
  for (const command of commandsOf(workflow)) expect(command).not.toContain('${{');
});

test.each(workflows)('%s runs scripts that exist', async (_file, workflow) => {
  const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const commands = commandsOf(workflow).join('\n');
  for (const [, script] of commands.matchAll(/npm run ([\w:-]+)/g)) expect(Object.keys(scripts)).toContain(script);
  for (const [path] of commands.matchAll(/^(\.ci|scripts)\/[\w-]+/gm)) expect(existsSync(join(ROOT, path))).toBe(true);
});

test('changes run every stage of .ci/run, and all parts of divided ones', () => {
  const [, ci] = workflows.find(([file]) => file === 'ci.yml') ?? [];
  const rows = ci?.jobs?.run?.strategy?.matrix.stage ?? [];
  const parts = rows.map((row) => row.split(' --shard '));
  expect([...new Set(parts.map(([stage]) => stage))]).toEqual(CI_STAGES.map(({ name }) => name));
  for (const { name, sharded } of CI_STAGES) {
    const shards = parts.filter(([stage]) => stage === name).map(([, shard]) => shard);
    if (shards.length === 1) expect(shards).toEqual([undefined]);
    else expect([sharded, shards]).toEqual([true, shards.map((_, n) => `${n + 1}/${shards.length}`)]);
  }
});

test('changes run .ci/run and check the chart with helm, and a tag builds a release', () => {
  const commands = Object.fromEntries(workflows.map(([file, workflow]) => [file, commandsOf(workflow)]));
  expect(commands['ci.yml']).toContain('.ci/run $STAGE');
  expect(commands['ci.yml']).toContain('scripts/helm-check');
  expect(commands['release.yml']).toContain('npm run release');
  expect(workflows[0]?.[1].jobs?.arm64?.['runs-on']).toBe('ubuntu-24.04-arm');
});
