#!/usr/bin/env node
import { Atelier, VERSION } from '@atelier/sdk';
import type { Context } from './command.ts';
import { commands } from './commands.ts';
import { type ExitCode, exitCodeOf, Interrupted, UsageError } from './exit-code.ts';
import { renderCommandHelp, renderHelp } from './help.ts';
import { readCommand } from './read-command.ts';
import { renderCompletion } from './render-completion.ts';
import { readSettings } from './settings.ts';
import { clean, createTerminal } from './terminal.ts';

const { env, stdin, stdout, stderr } = process;

async function main([name, ...rest]: readonly string[], signal: AbortSignal): Promise<ExitCode> {
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    const command = commands[rest[0] ?? ''];
    stdout.write(`${command === undefined ? renderHelp() : renderCommandHelp(rest[0]!, command)}\n`);
    return 0;
  }
  if (name === '--version') {
    stdout.write(`${VERSION}\n`);
    return 0;
  }
  if (name === 'completion') {
    stdout.write(renderCompletion(rest[0]));
    return 0;
  }
  const command = commands[name];
  if (command === undefined) throw new UsageError(`there is no command ${name}. See: atelier help`);
  const given = readCommand(command, rest);
  if (given.flags.has('help')) {
    stdout.write(`${renderCommandHelp(name, command)}\n`);
    return 0;
  }
  const json = given.flags.has('json');
  const context: Context = {
    ...given,
    env,
    json,
    signal,
    terminal: createTerminal({ stdin, stdout, stderr }, env, { isQuiet: json }),
    async client() {
      const stored = await readSettings(env);
      const baseUrl = given.options['base-url'] ?? env.ATELIER_BASE_URL ?? stored.baseUrl;
      if (!baseUrl)
        throw new UsageError('the address of the service is missing: set ATELIER_BASE_URL or run `atelier login`');
      return new Atelier({ baseUrl, apiKey: env.ATELIER_API_KEY || stored.apiKey });
    },
  };
  return command.run(context);
}

/** One line for what a user can do something about, in JSON if JSON was asked for; a stack for a bug. */
function explain(error: unknown, argv: readonly string[]): ExitCode {
  const code = exitCodeOf(error);
  if (stderr.isTTY) stderr.write('\r\x1b[K');
  if (code === 130) return code;
  const { message, code: problem, requestId } = error as Error & { code?: string; requestId?: string };
  if (argv.includes('--json') && code !== null) {
    stderr.write(`${JSON.stringify({ error: { message, code: problem ?? null, requestId: requestId ?? null } })}\n`);
  } else if (code !== null) {
    stderr.write(`atelier: ${clean(message)}${requestId ? ` [request ${requestId}]` : ''}\n`);
  } else {
    stderr.write(`${(error as Error).stack ?? error}\n`);
  }
  return code ?? 1;
}

const argv = process.argv.slice(2);
const controller = new AbortController();
// The second interrupt ends the process at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => controller.abort(new Interrupted('interrupted')));
}
// The reader of the pipe, such as `head`, has what it wanted.
stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

process.exitCode = await main(argv, controller.signal).catch((error: unknown) => explain(error, argv));
// Idle connections would keep the process for some seconds.
if (stdout.writableLength === 0) process.exit();
else stdout.once('drain', () => process.exit());
