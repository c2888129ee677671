/** The text of one model run. */
export interface Chunk {
  readonly phonemes: string;
  readonly endsParagraph: boolean;
}

export interface SpokenClause {
  readonly phonemes: string;
  readonly mark: string;
  readonly endsParagraph: boolean;
}

/** One symbol is one token. The model accepts 510, but its memory grows with the length of the speech. */
export const MAX_CHUNK_TOKENS = 320;
/** Sentences are combined up to this length: longer runs sound hurried, shorter ones clipped. */
const GOOD_CHUNK_TOKENS = 240;
const SENTENCE_END = /[.!?…]$/;

/** Combines clauses to chunks that end at a sentence if possible, otherwise at a clause or a word. */
export function packChunks(clauses: readonly SpokenClause[]): readonly Chunk[] {
  const chunks: Chunk[] = [];
  let held = '';
  const flush = (endsParagraph: boolean) => {
    if (held !== '') chunks.push({ phonemes: held, endsParagraph });
    held = '';
  };
  const add = (phonemes: string) => {
    if (lengthOf(held) + 1 + lengthOf(phonemes) > MAX_CHUNK_TOKENS) flush(false);
    held = held === '' ? phonemes : `${held} ${phonemes}`;
  };
  let sentence: string[] = [];
  for (const { phonemes, mark, endsParagraph } of clauses) {
    sentence.push(...cutAtWords(phonemes + mark));
    if (!SENTENCE_END.test(mark) && !endsParagraph) continue;
    if (lengthOf(held) + 1 + lengthOf(sentence.join(' ')) > GOOD_CHUNK_TOKENS) flush(false);
    for (const part of sentence) add(part);
    sentence = [];
    if (endsParagraph) flush(true);
  }
  for (const part of sentence) add(part);
  flush(true);
  return chunks;
}

function cutAtWords(phonemes: string): string[] {
  if (lengthOf(phonemes) <= MAX_CHUNK_TOKENS) return [phonemes];
  const parts: string[] = [];
  let part = '';
  for (const word of phonemes.split(' ').flatMap((each) => each.match(/.{1,300}/gu) ?? [])) {
    if (lengthOf(part) + 1 + lengthOf(word) > MAX_CHUNK_TOKENS) {
      parts.push(part);
      part = '';
    }
    part = part === '' ? word : `${part} ${word}`;
  }
  return [...parts, part];
}

function lengthOf(phonemes: string): number {
  return [...phonemes].length;
}
