import type { CreateGenerationBody, Generation, ProblemCode } from '@atelier/contract';
import { CONSENT_HEADER } from '@atelier/contract/openai';
import type { FastifyReply } from 'fastify';
import type { OpenaiUse } from '../../domain/catalog/catalog.ts';
import { chooseOpenaiModel } from '../../domain/catalog/openai-alias.ts';
import { isTerminal } from '../../domain/generations/generation-states.ts';
import { getGeneration } from '../../domain/generations/read/get-generation.ts';
import { claimOpenaiCall } from '../../domain/generations/submit/claim-openai-call.ts';
import { createGeneration } from '../../domain/generations/submit/create-generation.ts';
import { invalidParams } from '../../platform/problem.ts';
import { announceDeprecation } from '../announce-deprecation.ts';
import { mapParams } from './map-params.ts';
import { OpenaiRefusal } from './openai-error.ts';
import type { OpenaiContext, OpenaiInput } from './openai-handler.ts';
import { readAttempt } from './read-attempt.ts';
import type { FormFile } from './read-form.ts';

/** The operations that make something. */
export type MakingId =
  | 'createImage'
  | 'editImage'
  | 'varyImage'
  | 'createSpeech'
  | 'createTranscription'
  | 'createVideo';

type Making = Omit<OpenaiInput<MakingId>, 'fields'> & { readonly fields: Readonly<Record<string, unknown>> };

const STILL_RUNNING_RETRY_SECONDS = 1;

/** Submits, and waits for the end. Throws if it failed, or if it takes longer than a request may wait. */
export async function makeNow(context: OpenaiContext, input: Making, use: OpenaiUse): Promise<Generation> {
  const { services, waits, waitSeconds } = context;
  const { accountId } = input.caller;
  // First, so that nothing is charged for a request that cannot wait.
  const place = waits.take(accountId);
  try {
    const generation = await startMaking(context, input, use);
    const { id } = generation;
    const hasEnded =
      isTerminal(generation.status) ||
      (await place.until(id, { timeoutMs: waitSeconds * 1000, signal: closingOf(input.reply) }));
    if (!hasEnded) throw stillRunning(id);
    const ended = await getGeneration(services, { accountId, id });
    if (ended.status !== 'succeeded') throw failureOf(ended);
    return ended;
  } finally {
    place.leave();
  }
}

/** Submits without waiting. */
export async function startMaking(context: OpenaiContext, input: Making, use: OpenaiUse): Promise<Generation> {
  const { services } = context;
  const { caller, fields, files } = input;
  // With the hashes of the files instead of their ids, which each attempt makes anew. The ceiling is not part of it: a retry
  // with another one is the same call.
  const body = { operation: `openai.${use}`, fields, files: files.map(({ field, sha256 }) => [field, sha256]) };
  const decode = (): CreateGenerationBody => {
    const { maxCoins } = input.validate();
    const chosen = chooseOpenaiModel(services.catalog(), {
      use,
      name: fields.model as string | undefined,
      at: services.clock.now(),
    });
    const modelId = chosen.model.entry.id;
    announceDeprecation(services, input.reply, { modelId });
    const params = mapParams(chosen, { use, fields, files: files.map(requireStored) });
    return { modelId, params, maxCoins, ...readConsent(input.request.headers[CONSENT_HEADER]) };
  };
  const attempt = readAttempt(input.request.headers);
  // A request that is refused claims no call.
  if (!('idempotencyKey' in attempt)) decode();
  const { generation } = await createGeneration(services, caller, {
    body,
    decode,
    idempotencyKey:
      'idempotencyKey' in attempt
        ? attempt.idempotencyKey
        : await claimOpenaiCall(services, caller, { body, attempt: attempt.retryCount }),
    traceparent: input.request.span?.traceparent ?? null,
  });
  announceDeprecation(services, input.reply, { modelId: generation.modelId });
  input.request.generationId = generation.id;
  input.reply.header('x-generation-id', generation.id);
  return generation;
}

function readConsent(header: string | string[] | undefined): { consent?: true } {
  if (header === undefined || header === '') return {};
  if (header === 'true') return { consent: true };
  throw invalidParams('The request is not valid', [{ path: 'X-Consent', message: 'must be true or left out' }]);
}

/** The files of a repeat were not stored, because its original exists. */
function requireStored({ field, asset }: FormFile): { field: string; id: string } {
  if (asset !== null) return { field, id: asset.id };
  throw new OpenaiRefusal(
    'unavailable',
    'unavailable',
    'The original of this request no longer exists. Send the request again.',
  );
}

/** Aborts when the client disconnects. The generation goes on, and a retry finds it. */
function closingOf(reply: FastifyReply): AbortSignal {
  const closing = new AbortController();
  // The client may have disconnected meanwhile; then `close` would never fire.
  if (reply.raw.destroyed) closing.abort();
  else reply.raw.once('close', () => closing.abort());
  return closing.signal;
}

function stillRunning(id: string): OpenaiRefusal {
  return new OpenaiRefusal(
    'unavailable',
    'generation_running',
    `The generation ${id} is still running. Send the same request again to wait for it: it is charged once. GET /v1/generations/${id} returns it too.`,
    { retryAfterSeconds: STILL_RUNNING_RETRY_SECONDS },
  );
}

const FAILURES: Readonly<Record<string, { readonly problem: ProblemCode; readonly code: string }>> = {
  content_policy: { problem: 'invalid_params', code: 'moderation_blocked' },
  invalid_input: { problem: 'invalid_params', code: 'invalid_input' },
  unavailable: { problem: 'unavailable', code: 'unavailable' },
  timeout: { problem: 'unavailable', code: 'timeout' },
  internal: { problem: 'internal', code: 'internal' },
};
const CANCELED = { problem: 'invalid_params', code: 'canceled' } as const;

/** A failed generation as an error of the request. It was refunded. */
function failureOf({ id, error }: Generation): OpenaiRefusal {
  const { problem, code } = (error === null ? undefined : FAILURES[error.code]) ?? CANCELED;
  const why = error === null ? 'was canceled' : `failed: ${error.message ?? error.code}`;
  return new OpenaiRefusal(problem, code, `The generation ${id} ${why.replace(/\.$/, '')}. Nothing was charged.`);
}
