import { parseArgs } from 'node:util';
import type { Command, Context } from './command.ts';
import { UsageError } from './exit-code.ts';

export const GLOBAL_OPTIONS = {
  json: { says: 'print the result as JSON' },
  help: { says: 'show this text', short: 'h' },
  'base-url': { says: 'address of the service (ATELIER_BASE_URL)', value: 'URL' },
} as const;

type Given = Pick<Context, 'args' | 'options' | 'lists' | 'flags'>;

/** Splits the arguments of a command. An unknown option is a param of the model, where the command takes them. */
export function readCommand(command: Command, argv: readonly string[]): Given {
  const known: Command['options'] = { ...command.options, ...GLOBAL_OPTIONS };
  const { positionals, tokens } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    strict: command.takesParams !== true,
    tokens: true,
    options: Object.fromEntries(
      Object.entries(known).map(([name, { short, value }]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', multiple: true, ...(short === undefined ? {} : { short }) },
      ]),
    ),
  });
  const options: Record<string, string> = {};
  const lists: Record<string, string[]> = {};
  const flags = new Set<string>();
  const taken = new Set<string>();
  const params: string[] = [];
  for (const [n, token] of (tokens ?? []).entries()) {
    if (token.kind !== 'option') continue;
    const option = known[token.name];
    if (option === undefined) {
      // `--name value`: without a declaration, the parser takes the value for a positional argument.
      const next = tokens?.[n + 1];
      const follows = next?.kind === 'positional' && next.index === token.index + 1;
      if (token.value === undefined && !follows) throw new UsageError(`${token.rawName} needs a value`);
      if (token.value === undefined && next?.kind === 'positional') taken.add(String(next.index));
      const value = token.value ?? (next as { value: string }).value;
      params.push(`${token.name.replaceAll('-', '_')}=${value}`);
    } else if (option.value === undefined) {
      if (token.value !== undefined) throw new UsageError(`${token.rawName} takes no value`);
      flags.add(token.name);
    } else {
      if (token.value === undefined) throw new UsageError(`${token.rawName} needs a value`);
      if (option.isRepeatable) lists[token.name] = [...(lists[token.name] ?? []), token.value];
      else options[token.name] = token.value;
    }
  }
  const args =
    taken.size === 0
      ? positionals
      : (tokens ?? []).flatMap((token) =>
          token.kind === 'positional' && !taken.has(String(token.index)) ? [token.value] : [],
        );
  checkArgs(command, args, flags);
  return { args, options, lists: { ...lists, params }, flags };
}

function checkArgs(command: Command, args: readonly string[], flags: ReadonlySet<string>): void {
  if (flags.has('help')) return;
  const required = command.args.filter((name) => !name.startsWith('['));
  if (args.length < required.length) throw new UsageError(`${required[args.length]} is missing`);
  if (args.length > command.args.length) throw new UsageError(`unexpected argument: ${args[command.args.length]}`);
}

export function needInteger(context: Pick<Context, 'options'>, name: string): number | undefined {
  const text = context.options[name];
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new UsageError(`--${name} must be a whole number above 0`);
  return Number(text);
}

export function needOneOf<T extends string>(
  context: Pick<Context, 'options'>,
  name: string,
  values: readonly T[],
): T | undefined {
  const text = context.options[name];
  if (text !== undefined && !values.includes(text as T)) {
    throw new UsageError(`--${name} must be one of ${values.join(', ')}`);
  }
  return text as T | undefined;
}
