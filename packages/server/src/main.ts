import { enableCompileCache } from 'node:module';
import { commands, renderHelp } from './entry/commands.ts';
import { ConfigError, readConfig } from './entry/config.ts';

/** One program, one role or command per process. */
async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  const command = name === undefined ? undefined : commands[name];
  if (command === undefined || rest.includes('--help')) {
    console.log(renderHelp(command === undefined ? undefined : name));
    return name === undefined || name === '--help' || rest.includes('--help') ? 0 : 2;
  }
  // Halves the time to load a role; where the folder cannot be written, nothing changes.
  enableCompileCache();
  return command.run(readConfig(undefined, command.needs), rest);
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof ConfigError ? error.message : error);
    process.exitCode = 1;
  },
);
