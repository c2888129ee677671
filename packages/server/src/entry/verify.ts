import { verifyObjects } from '../domain/assets/bucket/verify-objects.ts';
import { type CheckResult, verifyBooks } from '../domain/ledger/verify-books.ts';
import { recordBooksCheck } from '../domain/operator/books-check.ts';
import { createObjectStore } from '../platform/object-store/create-object-store.ts';
import type { Config } from './config/config.ts';
import { createDirectDb } from './direct-db.ts';

/** Prints a table of the checks and a last line with their count; exit code 1 when anything is broken. */
export async function verify(config: Config, options: { json: boolean; objects: boolean }): Promise<number> {
  const db = createDirectDb(config, {
    applicationName: 'atelier-verify',
    maxConnections: 2,
    statementTimeoutMs: 600_000,
  });
  try {
    const results = await verifyBooks({ db }, config.limits);
    // Only the books: the daily check of a worker looks at no objects, and would clear what it did not check.
    const stored = await recordBooksCheck({ db }, { checks: results.length, violations: count(results) });
    if (!stored) console.error('The outcome was not stored, so the metrics do not show it.');
    if (options.objects) {
      const store = createObjectStore(config.objectStore);
      results.push(...(await verifyObjects({ db, store })));
      await store.close();
    }
    const violations = count(results);
    if (options.json) console.log(JSON.stringify({ checks: results.length, violations, results }));
    else print(results, violations);
    return violations === 0 ? 0 : 1;
  } finally {
    await db.pool.end();
  }
}

const count = (results: readonly CheckResult[]) => results.reduce((sum, each) => sum + each.violations, 0);

function print(results: readonly CheckResult[], violations: number): void {
  for (const each of results) {
    const verdict = each.violations === 0 ? 'holds' : `${each.violations} BROKEN`;
    console.log(`${each.id.padEnd(5)} ${verdict.padEnd(10)} ${String(each.durationMs).padStart(6)} ms  ${each.claim}`);
    for (const row of each.first) console.log(`        ${JSON.stringify(row)}`);
  }
  console.log(`${results.length} checks, ${violations} violations`);
}
