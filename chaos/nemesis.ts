import type { Random } from '../e2e/harness/seeded-random.ts';
import type { OwnPostgres } from '../e2e/harness/start-own-postgres.ts';
import type { Member } from '../e2e/harness/start-stack.ts';
import { terminateBackends } from '../e2e/harness/terminate-backends.ts';

export interface NemesisOptions {
  readonly random: Random;
  readonly postgres: OwnPostgres;
  readonly database: string;
  readonly members: () => readonly Member[];
}

export interface Nemesis {
  /** Injects one fault and returns its name. */
  strike(): Promise<string>;
  /** Resumes all paused processes. */
  heal(): Promise<void>;
  readonly counts: Readonly<Record<string, number>>;
}

/** Leases last 10 s and are checked every 2 s: after this another worker has taken over. */
const PAST_LEASE_MS = 14_000;

/** The share of kills and pauses that may hit the last running process of a role. */
const LAST_ONE_SHARE = 0.2;

/** How often each fault occurs in a deck. A deck is used up before the next, so that every kind occurs. */
const WEIGHTS = {
  'kill worker': 6,
  'kill api': 4,
  'stop briefly': 5,
  'stop past lease': 2,
  'cut backends': 8,
  'crash postgres': 2,
} as const;
type Fault = keyof typeof WEIGHTS;

const DECK = (Object.entries(WEIGHTS) as Array<[Fault, number]>).flatMap(([fault, weight]) =>
  Array.from({ length: weight }, () => fault),
);

function shuffle<T>(random: Random, list: readonly T[]): T[] {
  const shuffled = [...list];
  for (let n = shuffled.length - 1; n > 0; n -= 1) {
    const other = random.between(0, n);
    [shuffled[n], shuffled[other]] = [shuffled[other] as T, shuffled[n] as T];
  }
  return shuffled;
}

export function createNemesis({ random, postgres, database, members }: NemesisOptions): Nemesis {
  const counts: Record<string, number> = {};
  const asleep = new Map<Member, NodeJS.Timeout>();
  let deck: Fault[] = [];

  const wake = (member: Member) => {
    clearTimeout(asleep.get(member));
    asleep.delete(member);
    if (member.alive()) member.signal('SIGCONT');
  };
  const choose = (role: Member['role']) => {
    const awake = members().filter((member) => member.role === role && !asleep.has(member));
    const enough = awake.length > 1 || random.chance(LAST_ONE_SHARE);
    return awake.length === 0 || !enough ? null : random.pick(awake);
  };
  const kill = (role: Member['role']) => {
    const member = choose(role);
    member?.signal('SIGKILL');
    return member !== null;
  };
  const stop = (role: Member['role'], forMs: number) => {
    const member = choose(role);
    if (member === null) return false;
    member.signal('SIGSTOP');
    asleep.set(
      member,
      setTimeout(() => wake(member), forMs),
    );
    return true;
  };

  const faults: Record<Fault, () => boolean | Promise<boolean>> = {
    'kill worker': () => kill('worker'),
    'kill api': () => kill('api'),
    'stop briefly': () => stop(random.pick(['api', 'worker', 'worker']), random.between(200, 3_000)),
    'stop past lease': () => stop('worker', PAST_LEASE_MS + random.between(0, 3_000)),
    'cut backends': async () =>
      (await terminateBackends(postgres.services.postgresUrl, { database, share: random.next() })) > 0,
    'crash postgres': async () => {
      await postgres.crash({ downMs: random.between(0, 1_500) });
      return true;
    },
  };

  return {
    counts,
    async strike() {
      if (deck.length === 0) deck = shuffle(random, DECK);
      // A fault without a target goes to the bottom of the deck.
      for (const fault of [...deck]) {
        deck.shift();
        if (await faults[fault]()) {
          counts[fault] = (counts[fault] ?? 0) + 1;
          return fault;
        }
        deck.push(fault);
      }
      deck = [];
      return 'no target';
    },
    async heal() {
      for (const member of [...asleep.keys()]) wake(member);
    },
  };
}
