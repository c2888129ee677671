import type { Output } from '@atelier/sdk';
import type { Environment } from '../settings.ts';
import type { Terminal } from '../terminal.ts';
import { decodePng } from './decode-png.ts';
import { encodeSixel } from './encode-sixel.ts';

/** `auto` looks at the variables that terminals set. */
export const IMAGE_PROTOCOLS = ['auto', 'kitty', 'iterm2', 'sixel', 'none'] as const;
export type ImageProtocol = (typeof IMAGE_PROTOCOLS)[number];

const KITTY_CHUNK_CHARS = 4096;
/** Larger pictures are saved and not drawn. */
const MAX_DRAWN_BYTES = 20_000_000;
const ROWS = 20;

interface Screen {
  readonly env: Environment;
  readonly terminal: Terminal;
  readonly protocol: string | undefined;
}

/** Draws a picture below the cursor, where the terminal can. */
export async function showPicture({ env, terminal, protocol }: Screen, output: Output): Promise<void> {
  const chosen = chooseProtocol(env, terminal.streams.stdout.isTTY === true, protocol);
  if (chosen === 'none' || output.kind !== 'image') return;
  const file = await output.download();
  if (file.size > MAX_DRAWN_BYTES) return;
  const drawn = renderPicture(chosen, Buffer.from(await file.arrayBuffer()), file.type);
  if (drawn !== null) terminal.streams.stdout.write(`${drawn}\n`);
}

export function chooseProtocol(env: Environment, isTty: boolean, given = 'auto'): Exclude<ImageProtocol, 'auto'> {
  if (given !== 'auto') return given as Exclude<ImageProtocol, 'auto'>;
  // In a pipe, the result is for a program. A multiplexer passes pictures on only if it was told to.
  if (!isTty || env.TMUX || env.STY) return 'none';
  const program = env.TERM_PROGRAM ?? '';
  if (env.KITTY_WINDOW_ID || env.TERM === 'xterm-kitty' || program === 'ghostty') return 'kitty';
  if (program === 'iTerm.app' || program === 'WezTerm' || env.LC_TERMINAL === 'iTerm2') return 'iterm2';
  return /^(foot|mlterm|contour|yaft)|sixel/.test(env.TERM ?? '') ? 'sixel' : 'none';
}

/** Null if the protocol cannot show this format. */
export function renderPicture(protocol: Exclude<ImageProtocol, 'auto' | 'none'>, bytes: Buffer, mimeType: string) {
  if (protocol === 'iterm2') {
    return `\x1b]1337;File=inline=1;size=${bytes.length};height=${ROWS};preserveAspectRatio=1:${bytes.toString('base64')}\x07`;
  }
  if (mimeType !== 'image/png') return null;
  if (protocol === 'kitty') return renderKitty(bytes);
  const picture = decodePng(bytes);
  return picture === null ? null : encodeSixel(picture);
}

function renderKitty(png: Buffer): string {
  const chunks = png.toString('base64').match(new RegExp(`.{1,${KITTY_CHUNK_CHARS}}`, 'g')) ?? [];
  return chunks
    .map((chunk, n) => {
      const more = n < chunks.length - 1 ? 1 : 0;
      return `\x1b_G${n === 0 ? `a=T,f=100,r=${ROWS},q=2,` : ''}m=${more};${chunk}\x1b\\`;
    })
    .join('');
}
