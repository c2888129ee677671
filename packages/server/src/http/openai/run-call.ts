import type { Generation, ProblemCode } from '@atelier/contract';
import type { FastifyReply } from 'fastify';
import type { OpenaiUse } from '../../domain/catalog/catalog.ts';
import { type ChosenModel, chooseOpenaiModel } from '../../domain/catalog/openai-alias.ts';
import { isTerminal } from '../../domain/generations/generation-states.ts';
import { getGeneration } from '../../domain/generations/read/get-generation.ts';
import { claimOpenaiCall } from '../../domain/generations/submit/claim-openai-call.ts';
import { createGeneration } from '../../domain/generations/submit/create-generation.ts';
import { announceDeprecation } from '../announce-deprecation.ts';
import { mapParams } from './map-params.ts';
import { OpenaiRefusal } from './openai-error.ts';
import type { OpenaiContext, OpenaiInput } from './openai-handler.ts';
import { readAttempt } from './read-attempt.ts';

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

export interface Made {
  readonly generation: Generation;
  readonly chosen: ChosenModel;
}

/** Submits, and waits for the end. Throws if it failed, or if it takes longer than a request may wait. */
export async function makeNow(context: OpenaiContext, input: Making, use: OpenaiUse): Promise<Made> {
  const { services, waits, waitSeconds } = context;
  const { accountId } = input.caller;
  // First, so that nothing is charged for a request that cannot wait.
  const place = waits.take(accountId);
  try {
    const { generation, chosen } = await startMaking(context, input, use);
    const { id } = generation;
    const hasEnded =
      isTerminal(generation.status) ||
      (await place.until(id, { timeoutMs: waitSeconds * 1000, signal: closingOf(input.reply) }));
    if (!hasEnded) throw stillRunning(id);
    const ended = await getGeneration(services, { accountId, id });
    if (ended.status !== 'succeeded') throw failureOf(ended);
    return { generation: ended, chosen };
  } finally {
    place.leave();
  }
}

/** Submits without waiting. */
export async function startMaking(context: OpenaiContext, input: Making, use: OpenaiUse): Promise<Made> {
  const { services } = context;
  const { caller, fields, files, maxCoins } = input;
  const chosen = chooseOpenaiModel(services.catalog(), {
    use,
    name: fields.model as string | undefined,
    at: services.clock.now(),
  });
  announceDeprecation(services, input.reply, { modelId: chosen.model.entry.id });
  // With the hashes of the files instead of their ids, which each attempt makes anew.
  const body = {
    operation: `openai.${use}`,
    fields,
    files: files.map(({ field, sha256 }) => [field, sha256]),
    maxCoins,
  };
  const attempt = readAttempt(input.request.headers);
  const { generation } = await createGeneration(services, caller, {
    body,
    decode: () => ({
      modelId: chosen.model.entry.id,
      params: mapParams(chosen, { use, fields, files: files.map(({ field, asset }) => ({ field, id: asset.id })) }),
      maxCoins,
    }),
    idempotencyKey:
      'idempotencyKey' in attempt
        ? attempt.idempotencyKey
        : await claimOpenaiCall(services, caller, { body, attempt: attempt.retryCount }),
    traceparent: input.request.span?.traceparent ?? null,
  });
  input.reply.header('x-generation-id', generation.id);
  return { generation, chosen };
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
