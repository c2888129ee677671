/** A clause, and the punctuation mark after it. */
export interface Clause {
  readonly words: string;
  readonly mark: string;
  /** A blank line follows: the pause is longer. */
  readonly endsParagraph: boolean;
}

/** A period after these does not end a sentence. */
const ABBREVIATIONS = /\b(Mr|Mrs|Ms|Dr|Prof|St|Sr|Sra|Srta|Dott|Sig|M|Mme|vs|etc)\.(?=\s+\p{L})/gu;
const INITIALS = /\b(\p{Lu})\.(?=\s?\p{Lu}\.|\s\p{Ll})/gu;
const QUOTES = /["“”„«»‹›]|(?<!\p{L})['‘’]|['‘’](?!\p{L})/gu;
const UNSPEAKABLE = /[\p{Extended_Pictographic}\p{Cc}\p{Cf}\p{Co}*_#~`|<>{}[\]\\^]/gu;
/** Marks end a clause only where no digit or letter follows, so that 3.14 and 10:30 stay whole. */
const CLAUSE = /([^;:,.!?…—।()]|[;:,.!?](?=[\p{L}\p{N}]))+|[;:,.!?…—।()]+/gu;
const PARAGRAPH = /\n\s*\n/;
const MARKS: ReadonlyMap<string, string> = new Map([
  ['।', '.'],
  ['(', ','],
  [')', ','],
  ...[...';:,.!?…—'].map((mark) => [mark, mark] as const),
]);
const STRONGEST = '?!.…;:—,';

/** Splits a text at its punctuation, which espeak-ng does not keep. */
export function splitClauses(text: string): readonly Clause[] {
  return text.split(PARAGRAPH).flatMap((paragraph) => {
    const clean = paragraph
      .replace(QUOTES, ' ')
      .replace(/\s[-–]\s|--+|–/g, ' — ')
      .replace(/\.{3,}/g, '…')
      .replace(/[¿¡]/g, ' ')
      .replace(ABBREVIATIONS, '$1')
      .replace(INITIALS, '$1 ')
      .replace(/\s+/g, ' ')
      .replace(UNSPEAKABLE, ' ');
    const clauses: { words: string; mark: string; endsParagraph: boolean }[] = [];
    for (const piece of clean.match(CLAUSE) ?? []) {
      const last = clauses.at(-1);
      if (/[\p{L}\p{N}%$€£&+=@°]/u.test(piece)) clauses.push({ words: piece.trim(), mark: '', endsParagraph: false });
      else if (last !== undefined) last.mark = strongest(last.mark + piece);
    }
    const last = clauses.at(-1);
    if (last !== undefined) Object.assign(last, { mark: last.mark || '.', endsParagraph: true });
    return clauses;
  });
}

function strongest(marks: string): string {
  const known = new Set([...marks].map((mark) => MARKS.get(mark)));
  return [...STRONGEST].find((mark) => known.has(mark)) ?? '';
}

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
