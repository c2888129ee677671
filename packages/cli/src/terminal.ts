import { createInterface } from 'node:readline';
import type { Environment } from './settings.ts';

const BAR_CELLS = 24;
const CLEAR_LINE = '\r\x1b[K';
const CODES = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', cyan: '36' } as const;
/** Control characters in a text from elsewhere could move the cursor or change the terminal. */
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

export type Color = keyof typeof CODES;

export interface Streams {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

export interface Terminal {
  readonly streams: Streams;
  /** A line of the result. */
  print(line: string): void;
  /** A line about what happens, on stderr. */
  note(line: string): void;
  /** The last line of stderr, which the next call replaces; without a terminal, a line whenever the text changes. */
  status(text: string, share?: number | null): void;
  endStatus(): void;
  color(color: Color, text: string): string;
  isInteractive(): boolean;
  ask(question: string): Promise<boolean>;
}

/** Results go to stdout, so that they can be piped; everything else goes to stderr. */
export function createTerminal(streams: Streams, env: Environment, options: { isQuiet: boolean }): Terminal {
  const { stdin, stdout, stderr } = streams;
  const hasColor = !env.NO_COLOR && env.TERM !== 'dumb';
  let last = '';
  let isOpen = false;
  const paint = (color: Color, text: string, stream: NodeJS.WriteStream) =>
    hasColor && stream.isTTY ? `\x1b[${CODES[color]}m${text}\x1b[0m` : text;
  const endStatus = () => {
    if (isOpen) stderr.write(CLEAR_LINE);
    isOpen = false;
  };
  return {
    streams,
    print(line) {
      endStatus();
      stdout.write(`${line}\n`);
    },
    note(line) {
      endStatus();
      if (!options.isQuiet) stderr.write(`${line}\n`);
    },
    status(text, share = null) {
      if (options.isQuiet) return;
      if (!stderr.isTTY) {
        if (text !== last) stderr.write(`${text}\n`);
        last = text;
        return;
      }
      const bar = share === null ? '' : `${renderBar(share)} ${String(Math.round(share * 100)).padStart(3)} % `;
      const line = `${bar}${text}`.slice(0, (stderr.columns || 80) - 1);
      stderr.write(`${CLEAR_LINE}${line}`);
      isOpen = true;
    },
    endStatus,
    color: (color, text) => paint(color, text, stdout),
    isInteractive: () => stdin.isTTY === true && stderr.isTTY === true && !options.isQuiet,
    ask(question) {
      endStatus();
      const lines = createInterface({ input: stdin, output: stderr });
      return new Promise((resolve) => {
        lines.once('close', () => resolve(false));
        // The line editor takes Ctrl-C from the terminal.
        lines.once('SIGINT', () => {
          process.emit('SIGINT');
          lines.close();
        });
        lines.question(`${question} [y/N] `, (answer) => {
          resolve(/^y(es)?$/i.test(answer.trim()));
          lines.close();
        });
      });
    },
  };
}

function renderBar(share: number): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_CELLS);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_CELLS - full)}`;
}

/** Text of the service on one line, without control characters. */
export const clean = (text: unknown) => String(text ?? '').replace(CONTROL, ' ');

/** Columns as wide as their longest value. The last one is not padded. */
export function renderTable(rows: readonly (readonly unknown[])[]): string[] {
  const texts = rows.map((row) => row.map((value) => clean(value).replaceAll('\n', ' ')));
  const widths = texts.reduce<number[]>((all, row) => row.map((text, n) => Math.max(all[n] ?? 0, text.length)), []);
  return texts.map((row) => row.map((text, n) => (n === row.length - 1 ? text : text.padEnd(widths[n]!))).join('  '));
}
