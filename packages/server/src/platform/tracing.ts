/** Traces for operators. The port: it knows no library, so that the domain can use it. */

/** What a span may say. Everything is an id, a name from a fixed list or a number: never a prompt, a key, a URL or a message. */
export interface SpanFields {
  readonly accountId?: string | undefined;
  readonly attempt?: number;
  readonly count?: number;
  readonly deliveryId?: string;
  readonly endpointId?: string;
  readonly eventId?: string | undefined;
  readonly generationId?: string;
  readonly method?: string;
  readonly modelId?: string;
  readonly operation?: string;
  readonly pool?: string;
  readonly problemCode?: string | undefined;
  readonly provider?: string;
  readonly requestId?: string;
  readonly status?: number | undefined;
  readonly target?: string;
}

export type SpanKind = 'server' | 'internal' | 'client' | 'consumer';

export interface Span {
  /** For log lines; absent if the work is not traced. */
  readonly traceId: string | undefined;
  /** The W3C trace context for work that continues this span; null if the work is not traced. */
  readonly traceparent: string | null;
  set(fields: SpanFields): void;
  /** `errorType` marks the span as failed: a code or a class of errors, never a message. */
  end(outcome?: { errorType?: string | undefined; at?: Date }): void;
}

export interface Tracing {
  readonly enabled: boolean;
  /** A new trace for the configured share of calls, or the caller's trace if it sent one. */
  startTrace(name: string, options: { kind: SpanKind; fields: SpanFields; continues?: string | undefined }): Span;
  /** A part of a trace. Without a parent there is no trace. */
  startSpan(
    name: string,
    options: { kind: SpanKind; parent: string | null; fields: SpanFields; startedAt?: Date },
  ): Span;
  /** Sends what is left, for a limited time. */
  close(): Promise<void>;
}

export const NO_SPAN: Span = { traceId: undefined, traceparent: null, set() {}, end() {} };

/** Without a collector nothing is traced, and nothing of the library is loaded. */
export const NO_TRACING: Tracing = {
  enabled: false,
  startTrace: () => NO_SPAN,
  startSpan: () => NO_SPAN,
  close: async () => {},
};

/** Does the work within the span and ends it. */
export async function withSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end({ errorType: errorTypeOf(error) });
    throw error;
  }
}

/** The code of an error, or else its class. */
function errorTypeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'error';
}

export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-|$)/;

/** Reads a W3C trace context; null if it is malformed. */
export function parseTraceparent(text: string): TraceContext | null {
  const [, traceId, spanId] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || text.startsWith('ff')) return null;
  return /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(spanId) ? { traceId, spanId } : null;
}

/** The form in which a trace is stored and continued: always sampled, because other work is not traced at all. */
export function renderTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}
