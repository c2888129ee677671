import type { Db, Statement, Tx } from '@atelier/server/platform/db.ts';
import type pg from 'pg';

export interface Reading {
  /** Planning and execution on the server. */
  readonly ms: number;
  /** Pages read, from memory or from disk. */
  readonly pages: number;
  /** Tables that were read from start to end. */
  readonly scanned: readonly string[];
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}
interface Explained {
  readonly Plan: PlanNode;
  readonly 'Planning Time': number;
  readonly 'Execution Time': number;
}

/** After five executions PostgreSQL uses a plan for any parameters; this many more are measured, and the fastest counts. */
const WARM_UP = 6;

/**
 * Explains the statements that `call` sends, as the service prepares them. Each execution is rolled back. The store function gets
 * no rows.
 */
export async function explainStatements(
  client: pg.ClientBase,
  options: { repeats: number },
  call: (db: Db & Tx) => Promise<unknown>,
): Promise<Reading> {
  const readings: Reading[] = [];
  const query = async (statement: Statement, values: readonly unknown[] = []) => {
    readings.push(await explainStatement(client, { statement, values, repeats: options.repeats }));
    return [];
  };
  await call({ query } as unknown as Db & Tx);
  if (readings.length === 0) throw new Error('no statement was sent');
  return {
    ms: readings.reduce((sum, { ms }) => sum + ms, 0),
    pages: readings.reduce((sum, { pages }) => sum + pages, 0),
    scanned: readings.flatMap(({ scanned }) => scanned),
  };
}

async function explainStatement(
  client: pg.ClientBase,
  { statement, values, repeats }: { statement: Statement; values: readonly unknown[]; repeats: number },
): Promise<Reading> {
  const { name, text } = statement;
  const { rows } = await client.query('SELECT 1 FROM pg_prepared_statements WHERE name = $1', [name]);
  if (rows.length === 0) await client.query(`PREPARE "${name}" AS ${text}`);
  const given = values.length === 0 ? '' : ` (${values.map((value) => literal(client, value)).join(', ')})`;
  let best: Explained | undefined;
  for (let n = 0; n < WARM_UP + repeats; n += 1) {
    const explained = await explainOnce(client, `EXECUTE "${name}"${given}`);
    if (n >= WARM_UP && (best === undefined || time(explained) < time(best))) best = explained;
  }
  const { Plan } = best as Explained;
  return {
    ms: time(best as Explained),
    pages: Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks'],
    scanned: findScanned(Plan),
  };
}

async function explainOnce(client: pg.ClientBase, text: string): Promise<Explained> {
  const results = (await client.query(
    `BEGIN; EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) ${text}; ROLLBACK`,
  )) as unknown as ReadonlyArray<pg.QueryResult>;
  return results[1]?.rows[0]['QUERY PLAN'][0] as Explained;
}

const time = (explained: Explained) => explained['Planning Time'] + explained['Execution Time'];

function findScanned(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' ? [node['Relation Name'] ?? ''] : [];
  return [...own, ...(node.Plans ?? []).flatMap(findScanned)];
}

/** A parameter as text of unknown type, which PostgreSQL reads as the type that the statement expects. */
function literal(client: pg.ClientBase, value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return client.escapeLiteral(textOf(value));
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) {
    return `{${value.map((each) => (each === null ? 'NULL' : JSON.stringify(textOf(each)))).join(',')}}`;
  }
  return String(value);
}
