import type { Command, Option } from './command.ts';
import { commands } from './commands.ts';
import { EXIT_CODES } from './exit-code.ts';
import { GLOBAL_OPTIONS } from './read-command.ts';
import { renderTable } from './terminal.ts';

export function renderHelp(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [`  ${name}`, summary]);
  return `Usage: atelier <command> [options]

${renderTable([...rows, ['  completion', 'print completions: bash, zsh or fish']]).join('\n')}

Every command has --help and --json. Settings: ATELIER_BASE_URL, ATELIER_API_KEY, ATELIER_CONSOLE_URL, NO_COLOR, or \`atelier login\`.

Exit codes:
${renderTable(Object.entries(EXIT_CODES).map(([code, says]) => [`  ${code}`, says])).join('\n')}`;
}

export function renderCommandHelp(name: string, command: Command): string {
  const options: Readonly<Record<string, Option>> = { ...command.options, ...GLOBAL_OPTIONS };
  const rows = Object.entries(options).map(([option, { says, short, value, values }]) => [
    `  ${short === undefined ? '' : `-${short}, `}--${option}${value === undefined ? '' : ` ${value}`}`,
    values === undefined ? says : `${says}: ${values.join(', ')}`,
  ]);
  const usage = ['Usage: atelier', name, ...command.args, '[options]'].join(' ');
  const details = command.details === undefined ? '' : `\n\n${command.details}`;
  return `${usage}\n\n${sentence(command.summary)}\n\n${renderTable(rows).join('\n')}${details}`;
}

const sentence = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}.`;
