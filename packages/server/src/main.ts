import { enableCompileCache } from 'node:module';
import { ConfigError, readConfig } from './entry/config/config.ts';
import { explainFailure } from './entry/explain-failure.ts';
import { findCommandEnv } from './entry/find-sandbox.ts';

/** One program, one role or command per process. */
async function main([name, ...rest]: readonly string[]): Promise<number> {
  // Halves the time to load; where the folder cannot be written, nothing changes. It works only for what is loaded after it.
  enableCompileCache();
  const { commands, renderHelp } = await import('./entry/commands.ts');
  if (name === undefined || name === '--help') {
    console.log(renderHelp());
    return 0;
  }
  const command = commands[name];
  if (command === undefined) {
    throw new ConfigError(`there is no such role or command. Use one of ${Object.keys(commands).join(', ')}`);
  }
  if (rest.includes('--help')) {
    console.log(command.help(rest));
    return 0;
  }
  return command.run(readConfig(findCommandEnv(name), command.needs), rest);
}

const args = process.argv.slice(2);
main(args).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const line = explainFailure(error);
    // An unexpected error is printed with its stack.
    console.error(line === null ? error : `atelier ${args[0]}: ${line}`);
    // Connections and timers of parts that did start would keep the process alive.
    process.exit(1);
  },
);
