import { type Db, statement } from '../../platform/db.ts';

const PUT_BOOKS_CHECK = statement(
  'put_books_check',
  `INSERT INTO books_check (checked_at, checks, violations) VALUES (now(), $1, $2)
   ON CONFLICT (single) DO UPDATE SET checked_at = excluded.checked_at, checks = excluded.checks, violations = excluded.violations`,
);

export async function putBooksCheck(db: Db, outcome: { checks: number; violations: number }): Promise<void> {
  await db.query(PUT_BOOKS_CHECK, [outcome.checks, outcome.violations]);
}

export interface BooksCheckRow {
  readonly checkedAtSeconds: number;
  readonly violations: number;
}

const FIND_BOOKS_CHECK = statement(
  'find_books_check',
  'SELECT extract(epoch FROM checked_at)::float8 AS "checkedAtSeconds", violations FROM books_check',
);

/** Null if the books were never checked. */
export async function findBooksCheck(db: Db): Promise<BooksCheckRow | null> {
  const [row] = await db.query<BooksCheckRow>(FIND_BOOKS_CHECK);
  return row ?? null;
}

const IS_BOOKS_CHECK_OLDER = statement(
  'is_books_check_older',
  'SELECT NOT EXISTS (SELECT 1 FROM books_check WHERE checked_at > now() - make_interval(hours => $1)) AS older',
);

/** True too if the books were never checked. */
export async function isBooksCheckOlder(db: Db, hours: number): Promise<boolean> {
  const [row] = await db.query<{ older: boolean }>(IS_BOOKS_CHECK_OLDER, [hours]);
  return row?.older ?? true;
}
