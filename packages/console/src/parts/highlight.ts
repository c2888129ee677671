export interface Token {
  readonly text: string;
  readonly kind: 'key' | 'string' | 'literal' | 'comment' | null;
}
export type Language = 'json' | 'shell' | 'typescript' | 'python' | 'http';

const STRING = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/.source;
/** Not a part of an id, of a version or of a signature. */
const NUMBER = /(?<![\w=.-])\d+(?:\.\d+)?(?![\w-])/.source;
const words = (list: string): string => `\\b(?:${list})\\b`;

/** What is a keyword, by language. In JSON it is a name before a colon, in HTTP the name of a header. */
const KEYS: Readonly<Record<Language, string>> = {
  json: /"(?:[^"\\\n]|\\.)*"(?=\s*:)/.source,
  shell: words('export|curl'),
  typescript: words('import|from|const|await|async|function|return|if|throw|new|export|for'),
  python: words('import|from|def|return|if|raise|for|in|not|with|as'),
  http: /^[A-Za-z-]+(?=: )|"(?:[^"\\\n]|\\.)*"(?=\s*:)/.source,
};
const COMMENTS: Readonly<Record<Language, string | null>> = {
  json: null,
  shell: '^#.*$',
  typescript: '//.*$',
  python: '#.*$',
  http: null,
};
const LITERAL = words('true|false|null|None|True|False|undefined');

/** Splits code into coloured pieces. Joined, they are the text again. */
export function highlight(text: string, language: Language): Token[] {
  const comment = COMMENTS[language];
  const pattern = new RegExp(
    [
      ...(comment === null ? [] : [`(?<comment>${comment})`]),
      `(?<key>${KEYS[language]})`,
      `(?<string>${STRING})`,
      `(?<literal>${NUMBER}|${LITERAL})`,
    ].join('|'),
    'gm',
  );
  const tokens: Token[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) tokens.push({ text: text.slice(end, match.index), kind: null });
    const [kind] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [null];
    tokens.push({ text: match[0], kind: kind as Token['kind'] });
    end = match.index + match[0].length;
  }
  if (end < text.length) tokens.push({ text: text.slice(end), kind: null });
  return tokens;
}
