import { type Db, statement } from './db.ts';

const TIME = statement('database_time', 'SELECT clock_timestamp() AS now');

/** The current time of the database. */
export async function readDatabaseTime(db: Db): Promise<Date> {
  const [row] = await db.query<{ now: Date }>(TIME);
  return (row as { now: Date }).now;
}
