import type { Asset, OperationId } from '@atelier/contract';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { DailyBudget } from '../../domain/generations/submit/create-generation.ts';
import type { Services } from '../../domain/services.ts';
import type { ProgressWaits } from './progress-waits.ts';

/** What a tool may use besides its input. */
export interface ToolCall {
  readonly services: Services;
  readonly caller: Caller;
  /** The trace of the request; null if it is not traced. */
  readonly traceparent: string | null;
  readonly budget: DailyBudget | undefined;
  readonly waits: ProgressWaits;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
  /** Called with the generation that the call submits, or whose original it returns. */
  readonly onGeneration: (id: string) => void;
  /** Called before a wait: the response becomes a stream, if the client takes one. */
  readonly onWaiting: () => void;
  readonly onProgress: (progress: { progress: number; message: string }) => void;
}

export interface ToolAnswer {
  /** One or two sentences for the agent: what happened, and what to do next. */
  readonly summary: string;
  /** Matches the tool's output schema. */
  readonly value: object;
  /** Files that the result links to. */
  readonly files?: readonly Asset[];
}

/** Hints for the program that runs the agent; it asks a person before some tools. */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The operation of the contract behind it: its row says which scope the key needs and what the operator can close. */
  readonly operation: OperationId;
  readonly input: TSchema;
  readonly output: TSchema;
  readonly hints: ToolHints;
  readonly call: (call: ToolCall, input: unknown) => Promise<ToolAnswer>;
}

const READS: ToolHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const WRITES: ToolHints = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false };

interface ToolRow<I extends TSchema, O extends TSchema> extends Omit<Tool, 'hints' | 'input' | 'output' | 'call'> {
  readonly kind: 'reads' | 'writes';
  /** Whether the same call twice is the same as once. Reads always are. */
  readonly isRepeatable?: false;
  readonly input: I;
  readonly output: O;
  readonly call: (
    call: ToolCall,
    input: Static<I>,
  ) => Promise<Omit<ToolAnswer, 'value'> & { readonly value: Static<O> & object }>;
}

/** A row of the table of tools. Its input is checked against the schema before `call`. */
export function defineTool<I extends TSchema, O extends TSchema>(row: ToolRow<I, O>): Tool {
  const { kind, isRepeatable, call, ...rest } = row;
  const hints = kind === 'reads' ? READS : { ...WRITES, idempotentHint: isRepeatable ?? true };
  return { ...rest, hints, call: (each, input) => call(each, input as Static<I>) };
}
