/** A seeded bug: a change of the sources that these tests must catch. */
export interface Mutant {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly tests: readonly string[];
}

/** `find` must occur exactly once in the file; otherwise the mutant is stale, and the run fails. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

const SERVER = 'packages/server';

/** A mutant of one migration. Tests are named without their extension. */
export function sql(
  migration: string,
  row: { name: string; tests: readonly string[] } & (
    | { find: string; replace: string }
    | { edits: readonly [string, string][] }
  ),
): Mutant {
  const edits = 'edits' in row ? row.edits : ([[row.find, row.replace]] as const);
  return {
    name: row.name,
    edits: edits.map(([find, replace]) => ({ file: `${SERVER}/migrations/${migration}.sql`, find, replace })),
    tests: row.tests.map(testFile),
  };
}

/** A mutant of one source file of the server. */
export function code(
  file: string,
  row: { name: string; find: string; replace: string; tests: readonly string[] },
): Mutant {
  return {
    name: row.name,
    edits: [{ file: `${SERVER}/src/${file}`, find: row.find, replace: row.replace }],
    tests: row.tests.map(testFile),
  };
}

function testFile(name: string): string {
  return `${SERVER}/src/${name.endsWith('.test.ts') ? name : `${name}.db.test.ts`}`;
}

export function applyEdit(text: string, { file, find, replace }: Edit): string {
  const count = text.split(find).length - 1;
  if (count !== 1) throw new Error(`${file} contains the text ${count} times instead of once: ${JSON.stringify(find)}`);
  if (replace === find) throw new Error(`${file}: the edit changes nothing: ${JSON.stringify(find)}`);
  return text.replace(find, () => replace);
}
