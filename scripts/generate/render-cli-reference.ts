import { commands } from '../../packages/cli/src/commands.ts';
import { EXIT_CODES } from '../../packages/cli/src/exit-code.ts';
import { renderCommandHelp } from '../../packages/cli/src/help.ts';
import { GLOBAL_OPTIONS } from '../../packages/cli/src/read-command.ts';

/** The reference of the command line, from its table of commands. */
export function renderCliReference(): string {
  const sections = Object.entries(commands).map(
    ([name, command]) => `## ${name}\n\n\`\`\`text\n${withoutGlobals(renderCommandHelp(name, command))}\n\`\`\``,
  );
  const globals = Object.entries(GLOBAL_OPTIONS).map(
    ([name, option]) => `| \`--${name}${'value' in option ? ` ${option.value}` : ''}\` | ${option.says} |`,
  );
  const codes = Object.entries(EXIT_CODES).map(([code, says]) => `| ${code} | ${says} |`);
  return `# Command line reference

Generated from \`packages/cli/src/commands.ts\` by \`npm run generate\`. Do not edit.

Every command of \`atelier\`, as \`atelier COMMAND --help\` prints it. The [guide](../../packages/cli/README.md) shows how to install and use it.

Every command has these options too:

| Option | Meaning |
|---|---|
${globals.join('\n')}

${sections.join('\n\n')}

## Exit codes

| Code | Meaning |
|---|---|
${codes.join('\n')}
`;
}

const GLOBAL_LINE = new RegExp(`^\\s+(?:-\\w, )?--(?:${Object.keys(GLOBAL_OPTIONS).join('|')})\\b.*\\n?`, 'gm');
const withoutGlobals = (help: string): string =>
  help
    .replaceAll(GLOBAL_LINE, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd();
