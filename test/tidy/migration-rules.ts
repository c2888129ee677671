import { findKind, splitStatements } from '@atelier/server/entry/apply-migration.ts';
import type { TrackedFile } from './tracked-files.ts';

const NUMBERED = /^packages\/server\/migrations\/(\d{4})_\w+\.sql$/;
/** Releases have these, so their text stays. */
const LAST_WITHOUT_RULES = 35;
const EXEMPT: Readonly<Record<string, string>> = {
  '0040_one_time_values.sql': 'person_verification has few rows: each lives for minutes',
  '0042_erased_accounts.sql': 'changes only erased accounts, which are few',
};

const BATCH_HINT = 'a change of rows belongs in a file of its own that begins with "-- migrate: in batches"';
const OUTSIDE_HINT = 'in a file of its own that begins with "-- migrate: outside a transaction"';

/** What locks or scans an existing table for as long as the work takes, and what to write instead. */
const SLOW_STATEMENTS: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^CREATE (UNIQUE )?INDEX/i,
    `an index on an existing table is built with CREATE INDEX CONCURRENTLY, ${OUTSIDE_HINT}`,
  ],
  [/^(UPDATE|DELETE)\b/i, BATCH_HINT],
  [/^INSERT\b[\s\S]*\bSELECT\b/i, BATCH_HINT],
  [/^WITH\b/i, BATCH_HINT],
  [/^DO\b/i, 'a DO block hides what it locks: write its statements'],
  [/^(LOCK|TRUNCATE|CLUSTER|REINDEX|VACUUM)\b/i, 'locks the table while others wait'],
];
const SLOW_ACTIONS: ReadonlyArray<readonly [RegExp, string]> = [
  [
    /^ADD CONSTRAINT\b(?=[\s\S]*\b(CHECK|FOREIGN KEY)\b)(?![\s\S]*\bNOT VALID\b)/i,
    `reads the whole table: add it NOT VALID, and validate it ${OUTSIDE_HINT}`,
  ],
  [
    /^ADD CONSTRAINT\b(?=[\s\S]*\b(UNIQUE|PRIMARY KEY|EXCLUDE)\b)(?![\s\S]*\bUSING INDEX\b)/i,
    'builds an index: build it with CREATE UNIQUE INDEX CONCURRENTLY, and add the constraint USING INDEX',
  ],
  [
    /^ADD (COLUMN )?(?!CONSTRAINT)[\s\S]*\b(CHECK|REFERENCES|UNIQUE|PRIMARY KEY)\b/i,
    'a constraint of a new column reads the whole table: add the column, then the constraint NOT VALID',
  ],
  [
    /^ADD (COLUMN )?(?!CONSTRAINT)[\s\S]*\b(GENERATED|DEFAULT\s+\w*(uuid|random|clock_timestamp|nextval)\w*\s*\()/i,
    'writes the whole table: add the column, then fill it in batches',
  ],
  [/^ALTER (COLUMN )?\w+ (SET DATA )?TYPE\b/i, 'writes the whole table: add another column'],
  [
    /^ALTER (COLUMN )?\w+ SET NOT NULL\b/i,
    'reads the whole table: add CHECK (... IS NOT NULL) NOT VALID, and validate it',
  ],
  [/^VALIDATE CONSTRAINT\b/i, `reads the whole table under the locks of the file: validate it ${OUTSIDE_HINT}`],
];
const OUTSIDE_ALLOWED =
  /^(CREATE (UNIQUE )?INDEX CONCURRENTLY IF NOT EXISTS \w+ |DROP INDEX CONCURRENTLY IF EXISTS \w+$|ALTER TABLE \w+ VALIDATE CONSTRAINT \w+$)/;

/** `migrate` runs while the service does: a file must not lock a table for longer than a moment. */
export function findBlockingMigrations(files: readonly TrackedFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const [, number] = NUMBERED.exec(path) ?? [];
    if (number === undefined || Number(number) <= LAST_WITHOUT_RULES) return [];
    if (EXEMPT[path.split('/').at(-1) as string] !== undefined) return [];
    return findProblems(text).map((problem) => `${path}: ${problem}`);
  });
}

function findProblems(text: string): string[] {
  const statements = splitStatements(withoutLiterals(text)).map((each) => each.replaceAll(/\s+/g, ' '));
  const kind = findKind(text);
  if (kind === 'outside') {
    return statements
      .filter((each) => !OUTSIDE_ALLOWED.test(each))
      .map(
        (each) =>
          `"${brief(each)}": outside a transaction only what can be repeated: indexes CONCURRENTLY IF (NOT) EXISTS, VALIDATE CONSTRAINT`,
      );
  }
  if (kind === 'batches') {
    return statements.length === 1 && /\bLIMIT \d+/i.test(statements[0] as string)
      ? []
      : ['a file in batches has one statement, whose rows are chosen with a LIMIT'];
  }
  const created = new Set(statements.map((each) => /^CREATE TABLE (?:IF NOT EXISTS )?(\w+)/i.exec(each)?.[1]));
  return statements.flatMap((each) => {
    const table = tableOf(each);
    if (table !== undefined && created.has(table)) return [];
    const reasons = [
      ...SLOW_STATEMENTS.filter(([pattern]) => pattern.test(each)),
      ...actionsOf(each).flatMap((action) => SLOW_ACTIONS.filter(([pattern]) => pattern.test(action))),
    ];
    return reasons.map(([, why]) => `"${brief(each)}": ${why}`);
  });
}

const brief = (statement: string) => (statement.length > 60 ? `${statement.slice(0, 60)}...` : statement);

/** Bodies of functions and strings contain anything. */
function withoutLiterals(text: string): string {
  return text
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, "''")
    .replaceAll(/'(?:[^']|'')*'/g, "''");
}

function tableOf(statement: string): string | undefined {
  return /^(?:CREATE (?:UNIQUE )?INDEX (?:\w+ )?ON|ALTER TABLE(?: ONLY)?|UPDATE|DELETE FROM|INSERT INTO) (\w+)/i.exec(
    statement,
  )?.[1];
}

/** The actions of ALTER TABLE, without the commas within parentheses. */
function actionsOf(statement: string): string[] {
  const [, list] = /^ALTER TABLE (?:ONLY )?\w+ ([\s\S]*)$/i.exec(statement) ?? [];
  if (list === undefined) return [];
  const actions = [''];
  let depth = 0;
  for (const letter of list) {
    depth += letter === '(' ? 1 : letter === ')' ? -1 : 0;
    if (letter === ',' && depth === 0) actions.push('');
    else actions.push(`${actions.pop()}${letter}`);
  }
  return actions.map((each) => each.trim());
}
