import { setTimeout as sleep } from 'node:timers/promises';
import type { TestAccount } from './account.ts';
import type { AckLog } from './ack-log.ts';
import { type Answer, call, isUndecided, newIdempotencyKey, submit } from './client.ts';
import type { Random } from './seeded-random.ts';

export interface ClientsOptions {
  /** Base URLs of the running APIs. */
  readonly urls: () => readonly string[];
  readonly accounts: readonly TestAccount[];
  readonly acks: AckLog;
  readonly random: Random;
  /** Concurrent clients, each with one request at a time. */
  readonly count: number;
  /** The longest pause of a client between two generations. */
  readonly paceMs: number;
  readonly prompts: readonly string[];
  /** The share of accepted generations that are canceled immediately. */
  readonly cancelShare: number;
  /** The share of accepted generations that are submitted again with the same key, like a client that lost the response. */
  readonly repeatShare: number;
  /** Pauses new generations. */
  readonly hold?: () => boolean;
  readonly timeoutMs?: number;
}

/** One response status, or `0` if the connection broke. */
export interface Seen {
  readonly atMs: number;
  readonly status: number;
}

export interface Clients {
  readonly seen: readonly Seen[];
  /** Messages about unexpected responses. */
  readonly faults: readonly string[];
  /** Submits with an unknown outcome that had been accepted, as the repeat showed. */
  readonly acceptedUnawares: number;
  /** Keys that were submitted, acknowledged or not. */
  readonly keys: ReadonlySet<string>;
  /** Lets every client finish its current work. */
  stop(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 5_000;
const GIVE_UP_MS = 90_000;
const RETRY_PAUSE_MS = 100;

/** Well-behaved clients: each retries with the same key until it knows the outcome. */
export function startClients(options: ClientsOptions): Clients {
  const { random, acks } = options;
  const seen: Seen[] = [];
  const faults: string[] = [];
  const keys = new Set<string>();
  let acceptedUnawares = 0;
  let stopping = false;

  const ask = async (send: (url: string) => Promise<Answer>): Promise<Answer | null> => {
    const urls = options.urls();
    const answer = urls.length === 0 ? null : await send(random.pick(urls)).catch(() => null);
    seen.push({ atMs: Date.now(), status: answer?.status ?? 0 });
    if (answer !== null && isUndecided(answer) && !/^\d+$/.test(String(answer.headers['retry-after']))) {
      faults.push(`a ${answer.status} without Retry-After`);
    }
    return answer;
  };
  /** Retries until the outcome is known. */
  const insist = async (what: string, send: (url: string) => Promise<Answer>) => {
    const giveUpAtMs = Date.now() + GIVE_UP_MS;
    let broken = 0;
    let unknown = 0;
    for (let tries = 1; Date.now() < giveUpAtMs; tries += 1) {
      const answer = await ask(send);
      if (answer !== null && !isUndecided(answer)) return { answer, tries, broken, unknown };
      if (answer === null) broken += 1;
      else if (answer.status !== 503) unknown += 1;
      await sleep(RETRY_PAUSE_MS);
    }
    faults.push(`${what} got no response for ${GIVE_UP_MS / 1000} s`);
    return null;
  };
  const timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;

  const live = async () => {
    const account = random.pick(options.accounts);
    const idempotencyKey = newIdempotencyKey();
    const prompt = random.pick(options.prompts);
    keys.add(idempotencyKey);
    const send = (url: string) => submit(url, { key: account.key, prompt, idempotencyKey, timeoutMs });
    const first = await insist('a submit', send);
    if (first === null) return;
    const { status, body } = first.answer;
    if (status !== 201 && !(status === 200 && first.tries > 1)) {
      faults.push(`a submit returned ${status} at attempt ${first.tries}: ${first.answer.text.slice(0, 200)}`);
      return;
    }
    if (status === 200 && first.unknown > 0) acceptedUnawares += 1;
    if (status === 200 && first.unknown === 0 && first.broken === 0) {
      faults.push('a submit that returned 503 had been accepted');
    }
    acks.accepted({ accountId: account.accountId, idempotencyKey, id: body.id, status: body.status });
    if (random.chance(options.repeatShare)) {
      const again = await insist('a repeat', send);
      if (again === null) return;
      if (again.answer.status !== 200) {
        faults.push(`a repeat returned ${again.answer.status}: ${again.answer.text.slice(0, 200)}`);
      } else {
        const repeated = again.answer.body;
        acks.accepted({
          accountId: account.accountId,
          idempotencyKey,
          id: repeated.id,
          status: repeated.status,
        });
      }
    }
    if (random.chance(options.cancelShare)) {
      const cancel = (url: string) =>
        call(url, `POST /v1/generations/${body.id}/cancel`, { key: account.key, timeoutMs });
      const canceled = await insist('a cancel', cancel);
      if (canceled === null) return;
      if (canceled.answer.status === 200) acks.canceled(body.id);
      else if (canceled.answer.status !== 409) {
        faults.push(`a cancel returned ${canceled.answer.status}: ${canceled.answer.text.slice(0, 200)}`);
      }
    }
  };
  const loops = Array.from({ length: options.count }, async () => {
    while (!stopping) {
      if (options.hold?.() !== true) await live();
      await sleep(random.between(0, options.paceMs));
    }
  });
  return {
    seen,
    faults,
    keys,
    get acceptedUnawares() {
      return acceptedUnawares;
    },
    async stop() {
      stopping = true;
      await Promise.all(loops);
    },
  };
}
