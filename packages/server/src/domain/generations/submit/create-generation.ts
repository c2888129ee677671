import type { CreateGenerationBody, Generation, ProblemCode } from '@atelier/contract';
import { canonicalJson, sha256 } from '../../../platform/crypto.ts';
import { isDatabaseUnavailable } from '../../../platform/db.ts';
import { faultPoint } from '../../../platform/fault-point.ts';
import { newId } from '../../../platform/ids.ts';
import { Problem } from '../../../platform/problem.ts';
import type { Caller } from '../../accounts/caller.ts';
import { CLOSED_REASON_TEXT } from '../../catalog/availability.ts';
import { needsConsent } from '../../catalog/needs-consent.ts';
import type { Price } from '../../catalog/price-request.ts';
import { refuseWhenSwitchedOff } from '../../operator/switch-board.ts';
import { chooseRoute, describeAvailability } from '../../quotes/choose-route.ts';
import { type Judged, judgeRequest } from '../../quotes/judge-request.ts';
import { hashParams, openQuote } from '../../quotes/quote-token.ts';
import type { Services } from '../../services.ts';
import { type DailyBudget, findSubmitter, type SubmitRefusal } from '../generations.store.ts';
import { getGeneration } from '../read/get-generation.ts';
import { renderGeneration } from '../read/render-generation.ts';
import { describeEffective } from './describe-effective.ts';
import { outcomeUnknown, submitOnce } from './submit-once.ts';

/** The version of the consent text; stored with each generation that needed consent. */
const CONSENT_VERSION = '2026-11';
const CLOSED_RETRY_SECONDS = 60;
/** Refusals that take precedence over those of the account. */
const SWITCHED_OFF: ReadonlySet<string> = new Set<ProblemCode>(['maintenance', 'channel_disabled']);

export type { DailyBudget };

type CreateServices = Pick<Services, 'db' | 'catalog' | 'keys' | 'switches' | 'offers' | 'clock' | 'cdnUrl' | 'wake'>;

export interface Created {
  readonly generation: Generation;
  /** True if the key and body were seen before and this is the original. */
  readonly replayed: boolean;
}

export interface SubmitRequest {
  /** The JSON as received. The comparison of bodies must not depend on their validity. */
  readonly body: unknown;
  /** Checks the body against the schema; throws a problem. */
  readonly decode: (body: unknown) => CreateGenerationBody;
  readonly idempotencyKey: string;
  /** A limit that this submit shares with the others of its key on this day. */
  readonly budget?: DailyBudget | undefined;
  /** The trace of the request, which the run and its deliveries continue. */
  readonly traceparent?: string | null;
}

/**
 * Submits exactly once. A repeat is a read and takes precedence over every refusal: the one statement that decides
 * idempotency, balance, cap, hold, admission and job checks the key first, and a request refused before that statement
 * looks for its original. A refusal leaves no trace, so the key stays free.
 */
export async function createGeneration(
  services: CreateServices,
  caller: Caller,
  request: SubmitRequest,
): Promise<Created> {
  const { accountId } = caller;
  const fingerprint = sha256(request.body === undefined ? '' : canonicalJson(request.body));
  const key = { accountId, idempotencyKey: request.idempotencyKey, fingerprint };
  const id = newId();
  let body: CreateGenerationBody;
  let judged: Judged;
  let price: Price;
  let pool: string;
  try {
    refuseWhenSwitchedOff(services.switches.current(), caller.channel);
    body = request.decode(request.body);
    judged = await judge(services, caller, body);
    price = agreePrice(services, caller, body, judged);
    pool = openRoute(services, caller, judged).pool;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { generation: await findOriginal(services, key, error), replayed: true };
  }
  await faultPoint('submit.before-commit');
  const outcome = await submitOnce(services, {
    id,
    ...key,
    keyId: caller.keyId,
    channel: caller.channel,
    ...modelColumns(judged),
    effectId: body.effectId ?? null,
    effectText: effectText(body),
    params: body.params,
    projectId: body.projectId ?? null,
    consentVersion: needsConsent(judged.model.entry, judged.media) ? CONSENT_VERSION : null,
    pool,
    coins: price.coins,
    coinsPerOutput: price.coinsPerOutput,
    outputs: price.outputs,
    maxCoins: body.maxCoins ?? null,
    pricebookVersion: judged.catalog.version,
    deadlineSeconds: judged.model.deadlineSeconds,
    inputIds: [...judged.inputs.keys()],
    effective: describeEffective(judged),
    budget: request.budget ?? null,
    traceparent: request.traceparent ?? null,
  });
  await faultPoint('submit.after-commit-before-answer');
  if (outcome.outcome === 'created' && outcome.admitted) services.wake([pool]);

  if (outcome.outcome === 'replayed') {
    const original = { accountId, id: outcome.generationId as string };
    const generation = await getGeneration(services, original).catch((error: unknown) => {
      throw isDatabaseUnavailable(error) ? outcomeUnknown(error) : error;
    });
    // The statement returns the new id if an earlier try committed but its response was lost.
    return { generation, replayed: outcome.generationId !== id };
  }
  if (outcome.outcome === 'budget_exceeded') {
    throw overBudget({ coins: price.coins, left: outcome.budgetLeft, budget: request.budget as DailyBudget });
  }
  // The cap of the key holds for every way to submit, whatever the client agreed to.
  if (outcome.outcome === 'request_cap_exceeded') {
    throw new Problem(
      'max_coins_exceeded',
      `The price is ${price.coins} coins, above the per-request cap of this API key, ${outcome.requestCap} coins.`,
    );
  }
  if (outcome.outcome !== 'created')
    throw refusal(outcome.outcome, { retryAfter: outcome.retryAfter, coins: price.coins });
  const generation = renderGeneration(
    {
      id,
      ...modelColumns(judged),
      effectId: body.effectId ?? null,
      effectText: effectText(body),
      status: 'queued',
      atLimit: outcome.atLimit ?? false,
      progress: null,
      queuePosition: outcome.queuePosition,
      pool,
      params: body.params,
      coinsQuoted: price.coins,
      coinsCharged: null,
      outputsRequested: price.outputs,
      errorCode: null,
      projectId: body.projectId ?? null,
      createdAt: outcome.createdAt as Date,
      startedAt: null,
      completedAt: null,
    },
    [],
  );
  return { generation, replayed: false };
}

/** The generation of this key with the same body; otherwise throws the first reason to refuse. */
async function findOriginal(
  services: CreateServices,
  key: { accountId: string; idempotencyKey: string; fingerprint: Buffer },
  problem: Problem,
): Promise<Generation> {
  const found = await findSubmitter(services.db, key);
  if (found === null) throw problem;
  if (found.originalId !== null) {
    if (!found.fingerprint?.equals(key.fingerprint)) throw refusal('idempotency_conflict');
    return getGeneration(services, { accountId: key.accountId, id: found.originalId });
  }
  if (SWITCHED_OFF.has(problem.code)) throw problem;
  if (found.locked) throw refusal('account_locked');
  if (found.cooldownSeconds !== null) throw refusal('cooldown', { retryAfter: found.cooldownSeconds });
  throw problem;
}

async function judge(services: CreateServices, caller: Caller, body: CreateGenerationBody): Promise<Judged> {
  if ((body.quoteToken === undefined) === (body.maxCoins === undefined)) {
    const message = 'exactly one of quoteToken and maxCoins must be sent';
    throw new Problem('invalid_params', 'Send exactly one of quoteToken and maxCoins.', {
      issues: [
        { path: 'quoteToken', message },
        { path: 'maxCoins', message },
      ],
    });
  }
  const judged = await judgeRequest(services, caller, {
    modelId: body.modelId,
    params: body.params,
    effectId: body.effectId,
    draft: false,
  });
  const { consent } = judged.model.entry;
  if (needsConsent(judged.model.entry, judged.media) && body.consent !== true) {
    const condition = consent?.when ? `if ${consent.when.join(' or ')} is given` : 'for this model';
    throw new Problem(
      'consent_required',
      "This model changes or imitates a person's likeness or voice. Send consent: true if everyone in the input has agreed.",
      { issues: [{ path: 'consent', message: `must be true ${condition}` }] },
    );
  }
  return judged;
}

/** The coins to hold: those of the quote until it expires, else the current price within the client's limit. */
function agreePrice(services: CreateServices, caller: Caller, body: CreateGenerationBody, judged: Judged): Price {
  const current = judged.price;
  if (body.quoteToken === undefined) {
    if (body.maxCoins !== undefined && current.coins > body.maxCoins) {
      throw new Problem(
        'max_coins_exceeded',
        `The price is ${current.coins} coins, above maxCoins of ${body.maxCoins}.`,
      );
    }
    return current;
  }
  const terms = openQuote(services.keys, body.quoteToken);
  if (
    terms === null ||
    terms.accountId !== caller.accountId ||
    terms.modelId !== body.modelId ||
    terms.effectId !== (body.effectId ?? null) ||
    terms.paramsHash !== hashParams(body.params)
  ) {
    throw new Problem('invalid_quote', 'The quoteToken was not issued for this account, model, params and effect.', {
      issues: [{ path: 'quoteToken', message: 'must be the token of a quote for exactly this request' }],
    });
  }
  const expired = terms.expiresAtSeconds * 1000 <= services.clock.now().getTime();
  if (expired && terms.coins !== current.coins) {
    throw new Problem(
      'price_changed',
      `The quote has expired and the price is now ${current.coins} coins instead of ${terms.coins}.`,
    );
  }
  return { ...current, coins: terms.coins, coinsPerOutput: terms.coinsPerOutput, outputs: terms.outputs };
}

function openRoute(services: CreateServices, caller: Caller, judged: Judged) {
  const routing = {
    model: judged.model,
    mode: caller.mode,
    switches: services.switches.current(),
    offers: services.offers(),
    at: services.clock.now(),
  };
  const route = chooseRoute(routing);
  if (route === null) {
    const why = CLOSED_REASON_TEXT[describeAvailability(routing).reason ?? 'no_worker'];
    throw new Problem('unavailable', `Model ${judged.model.entry.id} is unavailable: ${why}. Nothing was charged.`, {
      retryAfterSeconds: CLOSED_RETRY_SECONDS,
    });
  }
  return route;
}

function modelColumns({ model: { entry } }: Judged) {
  return {
    modelId: entry.id,
    modelName: entry.displayName,
    taskType: entry.taskType,
    modality: entry.modality,
    workspace: entry.workspace,
  };
}

function effectText(body: CreateGenerationBody): string | null {
  const prompt = body.effectId === undefined ? undefined : body.params.prompt;
  return typeof prompt === 'string' ? prompt : null;
}

const REFUSALS: { readonly [K in SubmitRefusal]: (coins: number | undefined) => string } = {
  idempotency_conflict: () =>
    'This Idempotency-Key was used for a generation with another body, or one so old that its body is no longer kept.',
  api_key_revoked: () => 'This API key was revoked.',
  api_key_expired: () => 'This API key has expired.',
  account_locked: () => 'This account is locked. You can still read, cancel generations and view the account.',
  cooldown: () => 'Too many generations failed for content policy; submits are refused for a while.',
  insufficient_coins: (coins) => `The price is ${coins} coins and the account has less.`,
  spend_cap_exceeded: (coins) => `The price of ${coins} coins would exceed this key's monthly spend cap.`,
};

function refusal(code: SubmitRefusal, facts: { retryAfter?: number | null; coins?: number } = {}): Problem {
  const { retryAfter, coins } = facts;
  return new Problem(code, REFUSALS[code](coins), retryAfter == null ? {} : { retryAfterSeconds: retryAfter });
}

function overBudget({ coins, left, budget }: { coins: number; left: number | null; budget: DailyBudget }): Problem {
  const reason =
    left === null
      ? 'This key has the largest number of generations that its budget of today (UTC) covers'
      : `The price is ${coins} coins, and ${left} of the ${budget.coins} coins that this key may spend today (UTC) are left`;
  return new Problem('spend_cap_exceeded', `${reason}. Nothing was charged.`);
}
