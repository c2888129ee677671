import type { OperationId, operations, StreamId } from '@atelier/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../domain/accounts/caller.ts';
import type { Services } from '../domain/services.ts';

type Row<K extends OperationId> = (typeof operations)[K];
type StaticOf<T> = T extends TSchema ? Static<T> : undefined;
type Member<K extends OperationId, M extends string> =
  Row<K> extends { readonly [P in M]: infer S } ? StaticOf<S> : undefined;

/** What a handler is given, decoded and judged by the operation's row. */
export interface Input<K extends OperationId> {
  readonly caller: Row<K>['scope'] extends null ? null : Caller;
  readonly params: Member<K, 'params'>;
  readonly query: Member<K, 'query'>;
  /** Judged by the row's schema, except where the operation decides about repeats before: it calls `decode` itself. */
  readonly body: Row<K> extends { readonly idempotent: true } ? unknown : Member<K, 'body'>;
  readonly idempotencyKey: Row<K> extends { readonly idempotent: true } ? string : undefined;
  readonly decode: (body: unknown) => Member<K, 'body'>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A handler decodes nothing and encodes nothing: it calls one operation of the domain and answers its result. */
export type OperationHandler<K extends OperationId> = (
  services: Services,
  input: Input<K>,
) => Promise<StaticOf<Row<K>['response']>>;

export type OperationHandlers = { readonly [K in Exclude<OperationId, StreamId>]: OperationHandler<K> };

/** The handlers of one resource. */
export type Routes<K extends keyof OperationHandlers> = Pick<OperationHandlers, K>;

/** What stands behind an operation that answers a stream. It is made once per process: its streams share what they read. */
export interface StreamSource<K extends StreamId> {
  /** Takes the reply over, or throws a problem before it has. */
  open(input: Input<K>): Promise<void>;
  /** Ends every stream. */
  close(): void;
}

export type OperationStreams = { readonly [K in StreamId]: (services: Services) => StreamSource<K> };
