import type { Atelier } from '@atelier/sdk';
import type { ExitCode } from './exit-code.ts';
import type { Environment } from './settings.ts';
import type { Terminal } from './terminal.ts';

/** What a command gets. */
export interface Context {
  readonly env: Environment;
  readonly terminal: Terminal;
  /** Aborts at an interrupt. */
  readonly signal: AbortSignal;
  /** Reads the settings and fails if there is no address. */
  client(): Promise<Atelier>;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | undefined>>;
  /** Options that can be repeated. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly flags: ReadonlySet<string>;
  /** Prints JSON instead of text. */
  readonly json: boolean;
}

export interface Option {
  readonly says: string;
  readonly short?: string;
  /** The name of its value; without it, the option takes none. */
  readonly value?: string;
  readonly isRepeatable?: true;
  /** For completions. */
  readonly values?: readonly string[];
}

export interface Command {
  readonly summary: string;
  /** The positional arguments, such as `MODEL` or `[ID]`. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, Option>>;
  /** Further options are params of the model. */
  readonly takesParams?: true;
  readonly details?: string;
  run(context: Context): Promise<ExitCode>;
}
