import type { Config } from './config.ts';
import { migrate } from './migrate.ts';
import { accountCommands } from './operate/account-commands.ts';
import { bucketCommands } from './operate/bucket-commands.ts';
import { keyCommands } from './operate/key-commands.ts';
import type { OperatorCommand } from './operate/operator-command.ts';
import { renderVerbs, runOperatorCommand } from './operate/run-operator-command.ts';
import { switchCommands } from './operate/switch-commands.ts';
import { webhookCommands } from './operate/webhook-commands.ts';
import { runWeightsCommand, weightsOptions } from './operate/weights-command.ts';

interface Command {
  readonly summary: string;
  readonly options?: readonly string[];
  /** What of the configuration must be there. */
  readonly needs: 'service' | 'database' | 'nothing';
  /** Answers the exit code. A role answers at once and lives on by what it has open. */
  run(config: Config, args: readonly string[]): Promise<number>;
}

const role = (name: string, summary: string): Command => ({
  summary,
  needs: 'service',
  async run(config) {
    // Loaded when it is wanted: a command for the operator should not wait for the whole service to load.
    const { runRoles } = await import('./run-roles.ts');
    await runRoles(config, name);
    return 0;
  },
});

const operator = (noun: string, summary: string, verbs: Readonly<Record<string, OperatorCommand>>): Command => ({
  summary: `${summary}: ${Object.keys(verbs).join(', ')}`,
  options: renderVerbs(noun, verbs).split('\n'),
  needs: 'service',
  run: (config, args) => runOperatorCommand(config, verbs, noun, args),
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
    run: async (config, args) =>
      (await import('./verify.ts')).verify(config, {
        json: args.includes('--json'),
        objects: args.includes('--objects'),
      }),
  },
  weights: {
    summary: 'weights of the engines that run here: list, pull, verify',
    needs: 'nothing',
    options: weightsOptions,
    run: runWeightsCommand,
  },
  account: operator('account', 'accounts and coins', accountCommands),
  key: operator('key', 'API keys', keyCommands),
  webhook: operator('webhook', 'webhook endpoints', webhookCommands),
  bucket: operator('bucket', 'who may delete in the bucket', bucketCommands),
  switch: operator('switch', "the operator's switches", switchCommands),
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
