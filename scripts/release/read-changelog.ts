export interface Changelog {
  /** Of the first heading that is a version. */
  readonly version: string;
  /** The text below that heading. */
  readonly notes: string;
  /** Whether there are entries above it, which no release has. */
  readonly hasUnreleased: boolean;
}

const HEADING = /^## +(.+?) *$/gm;
/** Optionally with the day of the release: `## 1.2.0 (2026-11-16)`. */
const VERSION = /^(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)(?: \((\d{4}-\d{2}-\d{2})\))?$/;
const UNRELEASED = 'Unreleased';

export function readChangelog(text: string): Changelog {
  const headings = Array.from(text.matchAll(HEADING), (match) => ({
    title: match[1] as string,
    start: match.index,
    end: match.index + match[0].length,
  }));
  const sections = headings.map(({ title, end }, index) => ({
    title,
    body: text.slice(end, headings[index + 1]?.start).trim(),
  }));
  const wrong = sections.find(({ title }) => title !== UNRELEASED && !VERSION.test(title));
  if (wrong !== undefined) throw new Error(`CHANGELOG.md: "${wrong.title}" is neither a version nor ${UNRELEASED}`);
  const first = sections.find(({ title }) => title !== UNRELEASED);
  if (first === undefined) throw new Error('CHANGELOG.md has no version yet');
  return {
    version: VERSION.exec(first.title)?.[1] as string,
    notes: first.body,
    hasUnreleased: sections.some(({ title, body }) => title === UNRELEASED && body !== ''),
  };
}
