import type { Readable } from 'node:stream';
import type { OpenaiOperationId, openaiOperations } from '@atelier/contract/openai';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { GenerationWaits } from '../../domain/generations/read/generation-waits.ts';
import type { Services } from '../../domain/services.ts';
import type { FormFile } from './read-form.ts';

type Row<K extends OpenaiOperationId> = (typeof openaiOperations)[K];
type StaticOf<T> = T extends TSchema ? Static<T> : never;
type Member<K extends OpenaiOperationId, M extends string> =
  Row<K> extends { readonly [P in M]: infer S } ? StaticOf<S> : undefined;

export interface OpenaiContext {
  readonly services: Services;
  readonly waits: GenerationWaits;
  /** How long a request waits for its generation. */
  readonly waitSeconds: number;
}

/** The input of a handler, decoded and validated by the operation's row. */
export interface OpenaiInput<K extends OpenaiOperationId> {
  readonly caller: Caller;
  /** Checks a new request that spends coins, and returns its ceiling. A repeat is a read, so it is not checked. */
  readonly validate: () => { readonly maxCoins: number };
  readonly params: Member<K, 'params'>;
  readonly query: Member<K, 'query'>;
  readonly fields: Member<K, 'body'>;
  readonly files: readonly FormFile[];
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

export interface FileAnswer {
  readonly type: string;
  /** Undefined if it is not known before the stream ends. */
  readonly bytes?: number;
  readonly stream: Readable;
}

/** JSON, a text, or a file. */
export type OpenaiAnswer<T = unknown> =
  | { readonly json: T }
  | { readonly text: string }
  | { readonly file: FileAnswer };

export type OpenaiHandler<K extends OpenaiOperationId> = (
  context: OpenaiContext,
  input: OpenaiInput<K>,
) => Promise<OpenaiAnswer<StaticOf<Row<K>['response']>>>;

export type OpenaiHandlers = { readonly [K in OpenaiOperationId]: OpenaiHandler<K> };

/** The handlers of one resource. */
export type OpenaiRoutes<K extends OpenaiOperationId> = Pick<OpenaiHandlers, K>;
