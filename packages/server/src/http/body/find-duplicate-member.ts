const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

interface Level {
  readonly path: string;
  /** Null in a list. */
  readonly names: Set<string> | null;
  place: string;
}

/** The path of the first member whose name its object has already. The text must be valid JSON. */
export function findDuplicateMember(text: string): string | null {
  const levels: Level[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKENS)) {
    const level = levels.at(-1);
    if (token === '{' || token === '[') {
      const path = level?.place ?? '';
      levels.push({ path, names: token === '{' ? new Set() : null, place: token === '[' ? `${path}[0]` : path });
    } else if (token === '}' || token === ']') levels.pop();
    else if (token === ':' && level?.names) {
      const name = JSON.parse(last) as string;
      level.place = level.path === '' ? name : `${level.path}.${name}`;
      if (level.names.has(name)) return level.place;
      level.names.add(name);
    } else if (token === ',' && level?.names === null) {
      level.place = `${level.path}[${Number(level.place.slice(level.path.length + 1, -1)) + 1}]`;
    }
    last = token;
  }
  return null;
}
