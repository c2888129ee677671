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
