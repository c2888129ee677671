import { migrate } from '@atelier/server/entry/migrate.ts';
import { createSandboxDatabase, type SandboxDatabase } from '../scripts/sandbox/create-sandbox-database.ts';
import type { Bench } from './bench.ts';
import { type GrowthReading, measureGrowth, seedDatabase } from './growth/measure-growth.ts';
import { READ_AS_A_WHOLE } from './growth/statements.ts';

const SMALL = { generations: 10_000, accounts: 100, waiting: 20 };
const BIG = { generations: 1_000_000, accounts: 10_000, waiting: 2_000 };
const REPEATS = 15;
/** Shorter times count as this long: one more level of an index is not growth. */
const SHORTEST_MS = 0.5;
/** Longer than this, or grown by more, is marked. `bars.ts` has the same limits. */
const MAX_MS = 5;
const MAX_RATIO = 1.2;

/** Every statement of a request and of a sweep at 10,000 and at 1,000,000 generations, a tenth of them in one account. */
export const benchGrowth: Bench = async ({ services, say }) => {
  const databases: SandboxDatabase[] = [];
  try {
    for (const size of [SMALL, BIG]) {
      const database = await createSandboxDatabase(services.postgresUrl);
      databases.push(database);
      await migrate({ databaseOwnerUrl: database.ownerUrl, faults: '' }, () => {});
      const startedMs = performance.now();
      await seedDatabase(database, size);
      const seconds = (performance.now() - startedMs) / 1000;
      say(`loaded ${size.generations} generations of ${size.accounts} accounts in ${seconds.toFixed(0)} s`);
    }
    const [small, big] = databases as [SandboxDatabase, SandboxDatabase];
    const readings = await measureGrowth({ small, big }, { repeats: REPEATS });
    say(renderReadings(readings));
    const judged = readings.filter(({ name }) => READ_AS_A_WHOLE[name] === undefined);
    return {
      worstRatio: Math.max(...judged.map(ratioOf)),
      slowestMs: Math.max(...judged.map(slowestOf)),
      statements: readings.length,
    };
  } finally {
    for (const database of databases) await database.drop();
  }
};

const floor = (ms: number) => Math.max(ms, SHORTEST_MS);
const ratioOf = ({ ordinary, large }: GrowthReading) =>
  Math.max(floor(ordinary.big.ms) / floor(ordinary.small.ms), floor(large.big.ms) / floor(large.small.ms));
const slowestOf = ({ ordinary, large }: GrowthReading) => Math.max(ordinary.big.ms, large.big.ms);

/** Milliseconds and pages of each side. */
function renderReadings(readings: readonly GrowthReading[]): string {
  const show = ({ ms, pages }: { ms: number; pages: number }) =>
    `${ms.toFixed(2).padStart(7)} ${String(pages).padStart(5)}`;
  const lines = readings.map((reading) => {
    const { name, ordinary, large } = reading;
    const ratio = ratioOf(reading);
    const whole = READ_AS_A_WHOLE[name];
    const grown = ratio > MAX_RATIO ? 'GROWS' : slowestOf(reading) > MAX_MS ? 'SLOW' : '';
    const scanned = [...new Set([...ordinary.big.scanned, ...large.big.scanned])].join(', ');
    const note = [whole === undefined ? grown : `reads all ${whole}`, scanned && `scans ${scanned}`].filter(Boolean);
    const sides = [ordinary.small, ordinary.big, large.small, large.big].map(show).join('  ');
    return `${name.padEnd(34)}  ${sides}  ${ratio.toFixed(2).padStart(5)}  ${note.join('; ')}`;
  });
  const head = ['10 k', '1 M', '1 k of 10 k', '100 k of 1 M'].map((text) => text.padStart(13)).join('  ');
  return [`${'statement: ms and pages'.padEnd(34)}  ${head}  ratio`, ...lines].join('\n');
}
