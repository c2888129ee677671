import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { createKeyRing } from '../../platform/crypto.ts';
import type { Config } from '../config/config.ts';
import { createDirectDb } from '../direct-db.ts';
import { explainFailure } from '../explain-failure.ts';
import { type OperatorCommand, UsageError } from './operator-command.ts';

export type OperatorVerbs = Readonly<Record<string, OperatorCommand>>;

const MAX_CONNECTIONS = 2;
const STATEMENT_TIMEOUT_MS = 60_000;

/** Runs `<noun> <verb> --option value`. Returns the exit code: 0 done, 1 refused, 2 wrong usage. */
export async function runVerb(config: Config, noun: string, verbs: OperatorVerbs, args: readonly string[]) {
  const [verb, ...rest] = args;
  const command = verb === undefined ? undefined : verbs[verb];
  if (verb === undefined || command === undefined) {
    console.error(renderVerbs(noun, verbs));
    return 2;
  }
  return runOperatorCommand(config, { name: `${noun} ${verb}`, command }, rest);
}

export async function runOperatorCommand(
  config: Config,
  { name, command }: { name: string; command: OperatorCommand },
  args: readonly string[],
): Promise<number> {
  const db = createDirectDb(config, {
    applicationName: `atelier-${name.replaceAll(' ', '-')}`,
    maxConnections: MAX_CONNECTIONS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  try {
    const { json, actor, options, flags } = readArguments(command, args);
    const result = await command.run({
      config,
      db,
      get keys() {
        return createKeyRing(config.masterKeys);
      },
      actor: actor ?? `operator ${userInfo().username}`,
      options,
      flags,
    });
    if (json) console.log(JSON.stringify(result));
    else print(result);
    return 0;
  } catch (error) {
    if (error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) {
      console.error(`${(error as Error).message}\n\n${renderCommandHelp(name, command)}`);
      return 2;
    }
    const line = explainFailure(error);
    if (line === null) throw error;
    console.error(line);
    return 1;
  } finally {
    await db.pool.end();
  }
}

function readArguments({ options: rows }: OperatorCommand, args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(
        Object.keys(rows).map((row) => [
          row.replace(/[!?]$/, ''),
          { type: row.endsWith('?') ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
      json: { type: 'boolean' },
      actor: { type: 'string' },
    },
  });
  const { json, actor, ...rest } = values as Record<string, string | boolean>;
  const entries = Object.entries(rest);
  return {
    json: json === true,
    actor: actor as string | undefined,
    options: Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string')),
    flags: new Set(entries.filter(([, value]) => value === true).map(([name]) => name)),
  };
}

function print(result: object | readonly object[]): void {
  if (Array.isArray(result)) {
    if (result.length === 0) console.log('none');
    else console.table(result.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, printable(v)]))));
    return;
  }
  const width = Math.max(...Object.keys(result).map((name) => name.length));
  for (const [name, value] of Object.entries(result)) {
    if (Array.isArray(value) && typeof value[0] === 'object') {
      console.log(`${name}:`);
      print(value);
    } else console.log(`${name.padEnd(width)}  ${printable(value)}`);
  }
}

function printable(value: unknown): string | number | boolean {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'object') return JSON.stringify(value);
  return value as string | number | boolean;
}

export function renderVerbs(noun: string, verbs: OperatorVerbs): string {
  const commands = Object.entries(verbs).map(([verb, command]) => renderCommandHelp(`${noun} ${verb}`, command, []));
  return [...commands, ...COMMON_OPTIONS].join('\n');
}

const COMMON_OPTIONS = [
  '    --json           print the result as JSON',
  '    --actor          who does it, for the record',
  '    --help           this text',
];

export function renderCommandHelp(name: string, command: OperatorCommand, common = COMMON_OPTIONS): string {
  return [
    `main.ts ${name}   ${command.summary}`,
    ...Object.entries(command.options).map(([option, meaning]) => {
      const needed = option.endsWith('!');
      return `    --${option.replace(/[!?]$/, '').padEnd(14)} ${meaning}${needed ? ' (required)' : ''}`;
    }),
    ...common,
  ].join('\n');
}
