import { readFile } from 'node:fs/promises';

/** `<unk>\n<s>` in base64: how the list of word pieces begins inside its publisher's script. */
const VOCABULARY = /"(PHVuaz4KPHM\+[A-Za-z0-9+/=]+)"/;
const VOCABULARY_SIZE = 32_000;
const BYTE_PIECE = /^<0x([0-9A-F]{2})>$/;
const FIRST_PIECE_ID = 3;
/** The model often starts with an unclosed quote. */
const STRAY_QUOTES = /["'“”]{2,}/g;

/** Reads Moonshine's word pieces and returns a function that decodes token ids. The script is never executed. */
export async function readMoonshineVocabulary(path: string): Promise<(ids: readonly number[]) => string> {
  const found = VOCABULARY.exec(await readFile(path, 'utf8'))?.[1] ?? '';
  const pieces = Buffer.from(found, 'base64').toString('utf8').split('\n');
  if (pieces.length !== VOCABULARY_SIZE) throw new Error(`${path} has ${pieces.length} word pieces`);
  return (ids) => {
    const bytes = ids
      .filter((id) => id >= FIRST_PIECE_ID && id < VOCABULARY_SIZE)
      .map((id) => {
        const byte = BYTE_PIECE.exec(pieces[id]!)?.[1];
        return byte === undefined ? Buffer.from(pieces[id]!.replaceAll('▁', ' ')) : Buffer.from(byte, 'hex');
      });
    return Buffer.concat(bytes).toString('utf8').replace(STRAY_QUOTES, '').trim();
  };
}
