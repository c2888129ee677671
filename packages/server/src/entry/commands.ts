import type { Config, Needs } from './config/config.ts';
import { migrate } from './migrate.ts';
import { accountCommands } from './operate/account-commands.ts';
import { bucketCommands } from './operate/bucket-commands.ts';
import { generationCommands, requestCommands } from './operate/generation-commands.ts';
import { keyCommands } from './operate/key-commands.ts';
import { masterKeyCommands, printLinkKeys } from './operate/master-key-commands.ts';
import { moveCommands } from './operate/move-commands.ts';
import type { OperatorCommand } from './operate/operator-command.ts';
import { paymentCommands } from './operate/payment-commands.ts';
import { peopleCommands } from './operate/people-commands.ts';
import { auditCommand, ledgerCommand, offersCommand, queueCommand, workersCommand } from './operate/read-commands.ts';
import { routeCommands } from './operate/route-commands.ts';
import {
  type OperatorVerbs,
  renderCommandHelp,
  renderVerbs,
  runOperatorCommand,
  runVerb,
} from './operate/run-operator-command.ts';
import { switchCommands } from './operate/switch-commands.ts';
import { webhookCommands } from './operate/webhook-commands.ts';
import { weightsOptions } from './operate/weights-options.ts';

interface Command {
  readonly summary: string;
  readonly needs: Needs;
  /** What `--help` prints; the arguments may name a verb. */
  help(args: readonly string[]): string;
  /** Returns the exit code. A role returns at once and keeps running through its open handles. */
  run(config: Config, args: readonly string[]): Promise<number>;
}

/** Rate limits are counted by the roles that answer API requests. */
const WITHOUT_REDIS: Needs = ['DATABASE_URL', 'MASTER_KEY'];

const role = (name: string, summary: string, needs: Needs = 'service'): Command => ({
  summary,
  needs,
  help: () => renderCommand(name, summary),
  async run(config) {
    // Loaded on demand: operator commands should not wait for the whole service to load.
    const { runRoles } = await import('./roles/run-roles.ts');
    await runRoles(config, name);
    return 0;
  },
});

const operator = (noun: string, summary: string, verbs: OperatorVerbs, needs: Needs = ['DATABASE_URL']): Command => ({
  summary: `${summary}: ${Object.keys(verbs).join(', ')}`,
  needs,
  help: ([verb = '']) => renderVerbs(noun, verbs[verb] === undefined ? verbs : { [verb]: verbs[verb] }),
  run: (config, args) => runVerb(config, noun, verbs, args),
});

const single = (name: string, command: OperatorCommand): Command => ({
  summary: command.summary,
  needs: ['DATABASE_URL'],
  help: () => renderCommandHelp(name, command),
  run: (config, args) => runOperatorCommand(config, { name, command }, args),
});

export const commands: Readonly<Record<string, Command>> = {
  api: role('api', 'serves the HTTP API'),
  worker: role('worker', 'runs generations, delivers webhooks, cleans up', WITHOUT_REDIS),
  cdn: role('cdn', 'serves signed links', WITHOUT_REDIS),
  console: role('console', 'serves the pages of the console and its API'),
  desk: role('desk', "serves the operator's desk; not part of `all`"),
  all: role('all', 'runs api, worker, cdn and console in one process'),
  migrate: {
    summary: 'migrates the database to this version; safe to run repeatedly and concurrently',
    needs: ['DATABASE_OWNER_URL'],
    help: () =>
      renderCommand('migrate', 'migrates the database to this version; safe to run repeatedly and concurrently', [
        '--json      print the result as JSON',
        'Requires only DATABASE_OWNER_URL.',
      ]),
    async run(config, args) {
      const json = args.includes('--json');
      const result = await migrate(config, (line) => (json ? undefined : console.log(line)));
      console.log(json ? JSON.stringify(result) : `database version: ${result.version}`);
      return 0;
    },
  },
  verify: {
    summary: 'checks every invariant of the ledger and lists violations',
    needs: ['DATABASE_URL'],
    help: () =>
      renderCommand('verify', 'checks every invariant of the ledger and lists violations', [
        '--json      print the result as JSON',
        '--objects   also compare rows with stored objects, in both directions',
      ]),
    run: async (config, args) =>
      (await import('./verify.ts')).verify(config, {
        json: args.includes('--json'),
        objects: args.includes('--objects'),
      }),
  },
  weights: {
    summary: 'weights of local engines: list, pull, verify',
    needs: [],
    help: () => renderCommand('weights', 'weights of local engines', weightsOptions),
    // It reads the engines table, which an installation may lack.
    run: async (config, args) => (await import('./operate/weights-command.ts')).runWeightsCommand(config, args),
  },
  account: operator('account', 'accounts and coins', { ...accountCommands, ...moveCommands }),
  payment: operator('payment', 'events of the payment provider', paymentCommands),
  key: operator('key', 'API keys', keyCommands),
  people: operator('people', 'people who sign in to the console, and members of accounts', peopleCommands, [
    'DATABASE_URL',
    'MASTER_KEY',
  ]),
  webhook: operator('webhook', 'webhook endpoints', webhookCommands, ['DATABASE_URL', 'MASTER_KEY']),
  bucket: operator('bucket', 'ownership and cleanup of the bucket', bucketCommands),
  'master-key': operator('master-key', 'the master keys of this database', masterKeyCommands, [
    'DATABASE_URL',
    'MASTER_KEY',
  ]),
  'link-keys': {
    summary: 'prints the keys for verifying links at an edge, as JSON',
    needs: ['MASTER_KEY'],
    help: () =>
      renderCommand('link-keys', 'prints the keys for verifying links at an edge, as JSON', [
        '--json      has no effect; the output is always JSON',
      ]),
    run: async (config) => printLinkKeys(config),
  },
  switch: operator('switch', "the operator's switches", switchCommands),
  route: operator('route', 'routes of the catalog', routeCommands),
  generation: operator('generation', 'one generation, for support', generationCommands),
  request: operator('request', 'one request by its id, for support', requestCommands),
  queue: single('queue', queueCommand),
  offers: single('offers', offersCommand),
  workers: single('workers', workersCommand),
  ledger: single('ledger', ledgerCommand),
  audit: single('audit', auditCommand),
};

function renderCommand(name: string, summary: string, options: readonly string[] = []): string {
  return [`usage: main.ts ${name} [options]`, '', summary, '', ...options, '--help      print this text'].join('\n');
}

export function renderHelp(): string {
  const width = Math.max(...Object.keys(commands).map((each) => each.length));
  return [
    'usage: main.ts <command> [--help]',
    '',
    ...Object.entries(commands).map(([each, row]) => `  ${each.padEnd(width)}  ${row.summary}`),
    '',
    'Settings come from the environment: docs/operate/configuration.md.',
  ].join('\n');
}
