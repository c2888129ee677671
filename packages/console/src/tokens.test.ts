import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const DEFINES = /(?<=[{;\s])(--[a-z0-9-]+)\s*:/g;
const USES = /var\((--[a-z0-9-]+)/g;
const COLOUR = /(#[0-9a-f]{3,8}\b|\b(oklch|oklab|rgba?|hsla?|hwb|lab|lch|color-mix)\()/i;

const read = (path: string): string =>
  readFileSync(join(import.meta.dirname, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
const tokens = read('tokens.css');
const sheets = globSync('styles/*.css', { cwd: import.meta.dirname }).sort();
const namesIn = (text: string, pattern: RegExp): Set<string> =>
  new Set([...text.matchAll(pattern)].map((match) => match[1]!));

describe('tokens', () => {
  it('are used, every one', () => {
    const used = namesIn([tokens, ...sheets.map(read)].join('\n'), USES);
    expect([...namesIn(tokens, DEFINES)].filter((name) => !used.has(name))).toEqual([]);
  });

  it.each(sheets)('are the only colours and the only names in %s', (path) => {
    const text = read(path);
    const known = namesIn(tokens + text, DEFINES);
    expect([...namesIn(text, USES)].filter((name) => !known.has(name))).toEqual([]);
    expect(text.split('\n').filter((line) => COLOUR.test(line))).toEqual([]);
  });
});
