import type { Config } from './config.ts';
import { migrate } from './migrate.ts';
import { runRoles } from './run-roles.ts';
import { verify } from './verify.ts';

interface Command {
  readonly summary: string;
  readonly options?: readonly string[];
  /** What of the configuration must be there. */
  readonly needs: 'service' | 'database';
  /** Answers the exit code. A role answers at once and lives on by what it has open. */
  run(config: Config, args: readonly string[]): Promise<number>;
}

const role = (name: string, summary: string): Command => ({
  summary,
  needs: 'service',
  async run(config) {
    await runRoles(config, name);
    return 0;
  },
});

export const commands: Readonly<Record<string, Command>> = {
  api: role('api', 'answers the HTTP API'),
  worker: role('worker', 'runs generations, delivers webhooks, sweeps'),
  cdn: role('cdn', 'serves signed links'),
  all: role('all', 'the three roles in one process'),
  migrate: {
    summary: 'brings the database to this version; safe to run twice or at once',
    needs: 'database',
    options: ['--json   print the result as JSON'],
    async run(config, args) {
      const json = args.includes('--json');
      const result = await migrate(config, (line) => (json ? undefined : console.log(line)));
      console.log(json ? JSON.stringify(result) : `the database is at ${result.version}`);
      return 0;
    },
  },
  verify: {
    summary: 'proves the books: runs every invariant and lists what breaks one',
    needs: 'database',
    options: ['--json      print the result as JSON', '--objects   also compare rows with stored objects, both ways'],
    run: (config, args) => verify(config, { json: args.includes('--json'), objects: args.includes('--objects') }),
  },
};

export function renderHelp(name?: string): string {
  const command = name === undefined ? undefined : commands[name];
  if (name !== undefined && command !== undefined) {
    return [
      `usage: main.ts ${name} [options]`,
      '',
      command.summary,
      '',
      ...(command.options ?? []),
      '--help      this text',
    ].join('\n');
  }
  const width = Math.max(...Object.keys(commands).map((each) => each.length));
  return [
    'usage: main.ts <command> [--help]',
    '',
    ...Object.entries(commands).map(([each, row]) => `  ${each.padEnd(width)}  ${row.summary}`),
    '',
    'Settings come from the environment: docs/operate/configuration.md.',
  ].join('\n');
}
