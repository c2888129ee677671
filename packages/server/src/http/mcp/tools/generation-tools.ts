import {
  CreateGenerationBody,
  CreateQuoteBody,
  Generation,
  GenerationPage,
  ListGenerationsQuery,
  operations,
  QuoteResponse,
} from '@atelier/contract';
import Type from 'typebox';
import { cancelGeneration } from '../../../domain/generations/cancel-generation.ts';
import { isTerminal } from '../../../domain/generations/generation-states.ts';
import { listGenerations } from '../../../domain/generations/read/list-generations.ts';
import { createQuote } from '../../../domain/quotes/create-quote.ts';
import { submitAgentRequest } from '../submit-agent-request.ts';
import { defineTool } from '../tool.ts';

/** Below the 60 seconds after which many clients stop waiting for a response. */
export const MAX_WAIT_SECONDS = 50;
const DEFAULT_WAIT_SECONDS = 20;
const MAX_LABEL_LENGTH = 64;
const DEFAULT_PAGE = 10;

const Closed = { additionalProperties: false } as const;

export const generationTools = [
  defineTool({
    name: 'quote',
    title: 'Get the price',
    description:
      'Returns the exact price in coins of a request, without charging anything. Show the price to the user, then pass quoteToken to generate with the same modelId, params and effectId. A quote is valid for 10 minutes.',
    operation: 'createQuote',
    kind: 'reads',
    input: CreateQuoteBody,
    output: QuoteResponse,
    async call({ services, caller }, body) {
      const quote = await createQuote(services, caller, body);
      const next =
        quote.quoteToken === null
          ? 'It cannot be submitted as it is: complete the draft, or choose a model that is available.'
          : 'Pass quoteToken to generate to make it at this price.';
      return {
        summary: `${quote.coins} coins for ${quote.outputs} output(s); the account has ${quote.availableCoins}. ${next}`,
        value: quote,
      };
    },
  }),
  defineTool({
    name: 'generate',
    title: 'Generate (costs coins)',
    description:
      'Starts a generation and charges coins. Send exactly one of quoteToken (from quote) and maxCoins (the most it may cost). The same call within 24 hours returns the first generation and is not charged again, also after a reconnect; to make the same thing once more, set another label. Then call get_generation until it has ended.',
    operation: 'createGeneration',
    kind: 'writes',
    input: Type.Object(
      {
        ...CreateGenerationBody.properties,
        label: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: MAX_LABEL_LENGTH,
            description: 'Tells equal requests apart: the same request with another label is another generation.',
          }),
        ),
      },
      Closed,
    ),
    output: Generation,
    async call({ services, caller, traceparent, budget, onGeneration }, { label, ...body }) {
      const submit = { body, label, budget, traceparent };
      const { generation, replayed } = await submitAgentRequest(services, caller, submit);
      onGeneration(generation.id);
      return {
        summary: replayed
          ? `This request was made before; nothing more was charged. It is ${generation.status}. To make it again, set another label.`
          : `Queued for ${generation.coinsQuoted} coins. Call get_generation with id ${generation.id}.`,
        value: generation,
        files: generation.outputs,
      };
    },
  }),
  defineTool({
    name: 'get_generation',
    title: 'Get a generation',
    description:
      'Returns a generation: its status, its progress, and links to its outputs. Waits up to waitSeconds for its end and reports progress meanwhile. Call it again while the status is queued or processing.',
    operation: 'getGeneration',
    kind: 'reads',
    input: Type.Object(
      {
        ...operations.getGeneration.params.properties,
        waitSeconds: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: MAX_WAIT_SECONDS,
            description: `How long to wait for the end. Default: ${DEFAULT_WAIT_SECONDS}.`,
          }),
        ),
      },
      Closed,
    ),
    output: Generation,
    async call({ caller, waits, signal, onWaiting, onProgress }, { id, waitSeconds = DEFAULT_WAIT_SECONDS }) {
      const generation = await waits.waitFor({
        caller,
        id,
        seconds: waitSeconds,
        signal,
        onWaiting,
        onProgress: (state) => onProgress({ progress: state.progress ?? 0, message: describeProgress(state) }),
      });
      return { summary: describeGeneration(generation), value: generation, files: generation.outputs };
    },
  }),
  defineTool({
    name: 'list_generations',
    title: 'List generations',
    description: `Lists the generations of the account, newest first, ${DEFAULT_PAGE} per page. Filter by status, modality, workspace, modelId or active. Use it to find what was started before a reconnect.`,
    operation: 'listGenerations',
    kind: 'reads',
    input: ListGenerationsQuery,
    output: GenerationPage,
    async call({ services, caller }, query) {
      const page = await listGenerations(services, caller.accountId, { limit: DEFAULT_PAGE, ...query });
      const next = page.nextCursor === null ? '' : ' Pass nextCursor as cursor for more.';
      return { summary: `${page.items.length} generation(s).${next}`, value: page };
    },
  }),
  defineTool({
    name: 'cancel',
    title: 'Cancel a generation',
    description:
      'Cancels a queued generation and releases its coins. A generation that already runs cannot be canceled.',
    operation: 'cancelGeneration',
    kind: 'writes',
    isRepeatable: false,
    input: Type.Object(operations.cancelGeneration.params.properties, Closed),
    output: Generation,
    async call({ services, caller }, { id }) {
      const generation = await cancelGeneration(services, { accountId: caller.accountId, id });
      return { summary: 'Canceled. Its coins were released.', value: generation };
    },
  }),
];

function describeProgress({
  status,
  progress,
  queuePosition,
}: Pick<Generation, 'status' | 'progress' | 'queuePosition'>): string {
  if (queuePosition !== null) return `queued, position ${queuePosition}`;
  return progress === null ? status : `${status}, ${Math.round(progress * 100)}%`;
}

function describeGeneration(generation: Generation): string {
  const { status, outputs, coinsCharged, error } = generation;
  if (status === 'succeeded') return `Succeeded with ${outputs.length} output(s) for ${coinsCharged} coins.`;
  if (status === 'failed') {
    return `Failed (${error?.code ?? 'internal'}): ${error?.message ?? ''} All coins were refunded.`;
  }
  if (isTerminal(status)) return 'Canceled. Nothing was charged.';
  return `Not finished: ${describeProgress(generation)}. Call get_generation again.`;
}
