import { type createMoneyPath, type PathAccount, type PathEnd, settlementOf } from './create-money-path.ts';

type MoneyPath = ReturnType<typeof createMoneyPath>;

export interface RunPlan extends PathEnd {
  readonly requested: number;
  /** Its hold counts in the month before this one. */
  readonly lastMonth?: boolean;
  /** Another worker has taken it since: this end is outdated. */
  readonly outdated?: boolean;
  /** Submitted in a session, without a key. */
  readonly keyless?: boolean;
}

export interface AccountPlan {
  readonly runs: readonly RunPlan[];
  /** Generations that wait for a slot. */
  readonly waiting: number;
  /** The running limit when the runs end; as many as run unless given. */
  readonly limit?: number;
  readonly endpoints?: readonly {
    readonly status: string;
    readonly ofKey?: boolean;
    readonly failuresOnly?: boolean;
  }[];
}

/** Accounts with runs that are about to end. Two worlds of one plan differ only in ids and times. */
export async function createSettleWorld(path: MoneyPath, plan: readonly AccountPlan[]) {
  const accounts: PathAccount[] = [];
  const ends: ReturnType<typeof settlementOf>[] = [];
  for (const each of plan) {
    const account = await path.makeAccount({ runLimit: Math.max(each.runs.length, 1) });
    accounts.push(account);
    for (const [n, endpoint] of (each.endpoints ?? []).entries()) {
      await path.addEndpoint(account, {
        status: endpoint.status,
        url: `https://receiver.test/${n}`,
        ...(endpoint.ofKey ? { keyId: account.keyId } : {}),
        ...(endpoint.failuresOnly ? { events: ['generation.failed'] } : {}),
      });
    }
    for (const run of each.runs) {
      const id = await path.begin(account, { outputs: run.requested, ...(run.keyless ? { keyId: null } : {}) });
      if (run.lastMonth && !run.keyless) await path.moveToLastMonth(account, id);
      const taken = await path.take(id);
      if (taken === undefined) throw new Error('the generation could not be taken');
      if (run.outdated) await path.take(id, 'another worker');
      ends.push(settlementOf(taken, run));
    }
    for (let n = 0; n < each.waiting; n += 1) {
      await path.begin(account, { pool: n % 2 === 0 ? 'run-simulator' : 'run-remote' });
    }
    if (each.limit !== undefined) await path.setRunLimit(account, each.limit);
  }
  /** Everything that a settlement may change, without ids and times. */
  const describe = () => Promise.all(accounts.map((account) => describeAccount(path, account)));
  return { accounts, ends, describe };
}

async function describeAccount(path: MoneyPath, account: PathAccount): Promise<object> {
  const { cooldown_until: cooldown, ...facts } = await path.accountOf(account);
  const months = (await path.monthsOf(account)).map(({ reserved, spent }) => [reserved, spent]);
  const generations = await path.read<{ facts: object }>(GENERATIONS, [account.accountId]);
  return { ...facts, cooldown: cooldown !== null, months, generations: generations.map((row) => row.facts) };
}

const GENERATIONS = `
  SELECT jsonb_build_object(
    'state', jsonb_build_array(g.status, g.admitted, g.attempt, g.progress, g.coins_charged, g.error_code, g.error_message, g.completed_at IS NOT NULL),
    'hold', (SELECT jsonb_build_array(h.amount, h.captured, h.released, h.closed_at IS NOT NULL) FROM hold h WHERE h.generation_id = g.id),
    'transfers', (SELECT jsonb_agg(jsonb_build_array(t.kind, t.debit, t.credit, t.amount, t.account_id = g.account_id) ORDER BY t.kind)
      FROM transfer t WHERE t.generation_id = g.id),
    'assets', (SELECT jsonb_agg(to_jsonb(a) - '{id, account_id, generation_id, sha256, object_key, variants, created_at, expires_at}'::text[]
        || jsonb_build_object('variants', (SELECT jsonb_agg(v) FROM jsonb_object_keys(a.variants) AS v), 'kept', a.expires_at - a.created_at,
          'hash', length(a.sha256)) ORDER BY a.position)
      FROM asset a WHERE a.generation_id = g.id AND a.account_id = g.account_id),
    'events', (SELECT jsonb_agg(jsonb_build_array(e.type, e.created_at = g.completed_at, e.account_id = g.account_id, e.epoch))
      FROM event e WHERE e.generation_id = g.id),
    'deliveries', (SELECT jsonb_agg(jsonb_build_array(p.url, d.status, d.reason, d.next_at IS NOT NULL, d.created_at = e.created_at,
        (SELECT jsonb_agg(jsonb_build_array(j.state, j.retry_limit, j.expire_seconds))
          FROM pgboss.job j WHERE j.name = 'deliver-webhook' AND j.id = d.job_id
            AND j.data = jsonb_build_object('deliveryId', d.id, 'round', 1, 'attempt', 1))) ORDER BY p.url)
      FROM event e JOIN delivery d ON d.event_id = e.id JOIN webhook_endpoint p ON p.id = d.endpoint_id WHERE e.generation_id = g.id),
    'jobs', (SELECT jsonb_agg(jsonb_build_array(j.name, j.state, j.retry_limit, j.expire_seconds, j.id = g.id))
      FROM pgboss.job j WHERE j.name = g.pool AND j.data ->> 'generationId' = g.id::text)
  ) AS facts FROM generation g WHERE g.account_id = $1 ORDER BY g.created_at, g.id`;
