/** A mistake that completes the sentence "the body ...", and the resulting bytes. */
export type Change = readonly [mistake: string, bytes: Buffer];

/** Typical changes of a JSON body by frameworks, proxies and languages; only those that change its bytes. */
export function bodyChanges(text: string): Change[] {
  const changes: [string, string][] = [
    ['has a line break at its end', `${text}\n`],
    ['has a line break (CRLF) at its end', `${text}\r\n`],
    ['lost the white space around it', text.trim()],
    ['has Windows line breaks', text.replace(/\r?\n/g, '\r\n')],
    ['begins with a byte order mark', `\ufeff${text}`],
    ['was read as Latin-1 instead of UTF-8', Buffer.from(text).toString('latin1')],
    ['was turned into "[object Object]"', '[object Object]'],
    ['was written as a JSON string, quotes and all', JSON.stringify(text)],
  ];
  const json = parseJson(Buffer.from(text));
  if (json !== undefined) {
    const sorted = sortKeys(json);
    for (const [how, value] of [
      ['', json],
      [' with sorted keys', sorted],
    ] as const) {
      const compact = JSON.stringify(value);
      const spaced = JSON.stringify(value, null, 1).replace(/\n\s*/g, (_match, at: number, whole: string) =>
        whole[at - 1] === ',' ? ' ' : '',
      );
      changes.push(
        [`was parsed and written again${how}`, compact],
        [`was pretty-printed${how}`, JSON.stringify(value, null, 2)],
        [`was pretty-printed by four spaces${how}`, JSON.stringify(value, null, 4)],
        [`was pretty-printed by tabs${how}`, JSON.stringify(value, null, '\t')],
        [`was written again with spaces after colons and commas${how}`, spaced],
        [`was written again with spaces and \\u escapes (Python's json.dumps)${how}`, escapeNonAscii(spaced)],
        [`was written again with \\u escapes${how}`, escapeNonAscii(compact)],
        [`was written again with \\/ for / (PHP's json_encode)${how}`, escapeNonAscii(compact).replaceAll('/', '\\/')],
        [
          `was written again with <, > and & escaped (Go's json.Marshal)${how}`,
          compact.replace(/[<>&]/g, escapeCharacter),
        ],
      );
    }
  }
  return changes.filter(([, changed]) => changed !== text).map(([mistake, changed]) => [mistake, Buffer.from(changed)]);
}

function escapeNonAscii(text: string): string {
  return text.replace(/[\u007f-\uffff]/g, escapeCharacter);
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortKeys(item)]));
}

export function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
