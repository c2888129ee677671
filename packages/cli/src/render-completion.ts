import { commands } from './commands.ts';
import { UsageError } from './exit-code.ts';
import { GLOBAL_OPTIONS } from './read-command.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
const NAMES = [...Object.keys(commands), 'completion', 'help'];

const optionsOf = (name: string) => Object.keys({ ...commands[name]?.options, ...GLOBAL_OPTIONS });
const quote = (text: string) => text.replaceAll("'", "'\\''");

/** A script for the shell: commands, options, and files elsewhere. */
export function renderCompletion(shell: string | undefined): string {
  if (shell === 'bash') return renderBash();
  if (shell === 'zsh') return renderZsh();
  if (shell === 'fish') return renderFish();
  throw new UsageError(`completion needs one of ${SHELLS.join(', ')}`);
}

function renderBash(): string {
  const cases = Object.keys(commands).map(
    (name) =>
      `    ${name}) words='${optionsOf(name)
        .map((option) => `--${option}`)
        .join(' ')}' ;;`,
  );
  return `_atelier() {
  local words current=\${COMP_WORDS[COMP_CWORD]}
  if [ "$COMP_CWORD" = 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '${NAMES.join(' ')}' -- "$current")
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
    completion) words='${SHELLS.join(' ')}' ;;
    *) words='' ;;
  esac
  case $current in
    -*) mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
  esac
}
complete -o filenames -F _atelier atelier
`;
}

function renderZsh(): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => `    '${name}:${quote(summary)}'`);
  const cases = Object.entries(commands).map(([name, { options }]) => {
    const specs = Object.entries({ ...options, ...GLOBAL_OPTIONS }).map(([option, { says, ...rest }]) => {
      const value = 'value' in rest ? `:${(rest as { value: string }).value}:_files` : '';
      return `'--${option}[${quote(says).replaceAll(/[[\]:]/g, ' ')}]${value}'`;
    });
    return `    ${name}) _arguments ${specs.join(' ')} '*:file:_files' ;;`;
  });
  return `#compdef atelier
_atelier() {
  local -a names
  names=(
${rows.join('\n')}
    'completion:print completions'
  )
  if (( CURRENT == 2 )); then
    _describe 'command' names
    return
  fi
  case $words[2] in
${cases.join('\n')}
    completion) _values 'shell' ${SHELLS.join(' ')} ;;
  esac
}
compdef _atelier atelier
`;
}

function renderFish(): string {
  const lines = Object.entries(commands).flatMap(([name, { summary, options }]) => [
    `complete -c atelier -n __fish_use_subcommand -f -a ${name} -d '${quote(summary)}'`,
    ...Object.entries({ ...options, ...GLOBAL_OPTIONS }).map(([option, { says, ...rest }]) => {
      const value = 'value' in rest ? ' -r' : '';
      return `complete -c atelier -n '__fish_seen_subcommand_from ${name}' -l ${option}${value} -d '${quote(says)}'`;
    }),
  ]);
  return `${lines.join('\n')}
complete -c atelier -n __fish_use_subcommand -f -a completion -d 'print completions'
complete -c atelier -n '__fish_seen_subcommand_from completion' -f -a '${SHELLS.join(' ')}'
`;
}
