import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { createKeyRing } from '../../platform/crypto.ts';
import { createDb } from '../../platform/db.ts';
import { Problem } from '../../platform/problem.ts';
import type { Config } from '../config.ts';
import { type OperatorCommand, UsageError } from './operator-command.ts';

/** Runs `<noun> <verb> --option value`. Answers the exit code: 0 done, 1 refused, 2 not understood. */
export async function runOperatorCommand(
  config: Config,
  verbs: Readonly<Record<string, OperatorCommand>>,
  noun: string,
  args: readonly string[],
): Promise<number> {
  const [verb, ...rest] = args;
  const command = verb === undefined ? undefined : verbs[verb];
  if (verb === undefined || command === undefined) {
    console.error(renderVerbs(noun, verbs));
    return 2;
  }
  const names = Object.keys(command.options).map((name) => name.replace(/!$/, ''));
  const db = createDb({ url: config.databaseUrl, applicationName: `atelier-${noun}`, maxConnections: 2 });
  try {
    const { values } = parseArgs({
      args: rest,
      options: {
        ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
        json: { type: 'boolean' },
        actor: { type: 'string' },
      },
    });
    const { json, actor, ...options } = values as Record<string, string> & { json?: boolean };
    const result = await command.run({
      config,
      db,
      keys: createKeyRing(config.masterKeys),
      actor: actor ?? `operator ${userInfo().username}`,
      options,
    });
    if (json) console.log(JSON.stringify(result));
    else print(result);
    return 0;
  } catch (error) {
    if (error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) {
      console.error(`${(error as Error).message}\n\n${renderVerbs(noun, { [verb]: command })}`);
      return 2;
    }
    if (!(error instanceof Problem)) throw error;
    console.error(error.message);
    return 1;
  } finally {
    await db.pool.end();
  }
}

function print(result: object | readonly object[]): void {
  if (Array.isArray(result)) {
    console.table(result);
    return;
  }
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(12)} ${String(value)}`);
}

export function renderVerbs(noun: string, verbs: Readonly<Record<string, OperatorCommand>>): string {
  return Object.entries(verbs)
    .flatMap(([verb, command]) => [
      `main.ts ${noun} ${verb}   ${command.summary}`,
      ...Object.entries(command.options).map(([name, meaning]) => {
        const needed = name.endsWith('!');
        return `    --${name.replace(/!$/, '').padEnd(14)} ${meaning}${needed ? ' (needed)' : ''}`;
      }),
    ])
    .concat(['    --json           print the result as JSON', '    --actor          who does it, for the record'])
    .join('\n');
}
