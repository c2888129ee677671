import type { OperationId, operations, StreamId } from '@atelier/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Caller } from '../domain/accounts/caller.ts';
import type { Services } from '../domain/services.ts';

type Row<K extends OperationId> = (typeof operations)[K];
type StaticOf<T> = T extends TSchema ? Static<T> : undefined;
type Member<K extends OperationId, M extends string> =
  Row<K> extends { readonly [P in M]: infer S } ? StaticOf<S> : undefined;

/** The input of a handler, decoded and validated by the operation's row. */
export interface Input<K extends OperationId> {
  readonly caller: Row<K>['scope'] extends null ? null : Caller;
  readonly params: Member<K, 'params'>;
  readonly query: Member<K, 'query'>;
  /** Validated by the row's schema, except for idempotent operations: they detect replays first and call `decode` themselves. */
  readonly body: Row<K> extends { readonly idempotent: true } ? unknown : Member<K, 'body'>;
  readonly idempotencyKey: Row<K> extends { readonly idempotent: true } ? string : undefined;
  readonly decode: (body: unknown) => Member<K, 'body'>;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** A handler neither decodes nor encodes: it calls one operation of the domain and returns its result. */
export type OperationHandler<K extends OperationId> = (
  services: Services,
  input: Input<K>,
) => Promise<StaticOf<Row<K>['response']>>;

export type OperationHandlers = { readonly [K in Exclude<OperationId, StreamId>]: OperationHandler<K> };

/** The handlers of one resource. */
export type Routes<K extends keyof OperationHandlers> = Pick<OperationHandlers, K>;

/** The source of an operation that returns a stream. Created once per process, so that its streams share their reads. */
export interface StreamSource<K extends StreamId> {
  /** Takes over the reply, or throws a problem before that. */
  open(input: Input<K>): Promise<void>;
  /** Ends every stream. */
  close(): void;
}

export type OperationStreams = { readonly [K in StreamId]: (services: Services) => StreamSource<K> };
