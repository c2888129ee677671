import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from '@opentelemetry/sdk-trace';
import {
  type SpanKind as Kind,
  NO_SPAN,
  parseTraceparent,
  renderTraceparent,
  type Span,
  type SpanFields,
  type Tracing,
} from './tracing.ts';

export interface OtlpTracingOptions {
  /** Base URL of the collector; `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The share of requests that are traced, from 0 to 1. */
  readonly share: number;
  readonly serviceName: string;
  readonly version: string;
  readonly role: string;
  readonly cell: string;
  readonly instance: string;
  /** Called for every span that ends. */
  readonly onEnded: () => void;
  /** Called for every batch: whether the collector took it. */
  readonly onSent: (batch: { readonly count: number; readonly ok: boolean }) => void;
}

/** Spans beyond this wait for nothing: they are dropped. */
const MAX_QUEUED_SPANS = 2_048;
const MAX_BATCH = 256;
const SEND_INTERVAL_MS = 1_000;
const SEND_TIMEOUT_MS = 5_000;
const CLOSE_TIMEOUT_MS = 3_000;
const MAX_VALUE_LENGTH = 200;

const KINDS: Readonly<Record<Kind, SpanKind>> = {
  server: SpanKind.SERVER,
  internal: SpanKind.INTERNAL,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
};

/** The attributes as collectors know them. A field without a row is dropped. */
const ATTRIBUTES: Readonly<Record<keyof SpanFields, string>> = {
  accountId: 'atelier.account.id',
  attempt: 'atelier.attempt',
  count: 'atelier.count',
  deliveryId: 'atelier.delivery.id',
  endpointId: 'atelier.endpoint.id',
  eventId: 'atelier.event.id',
  generationId: 'atelier.generation.id',
  method: 'http.request.method',
  modelId: 'atelier.model.id',
  operation: 'atelier.operation',
  pool: 'atelier.pool',
  problemCode: 'atelier.problem',
  provider: 'atelier.provider',
  requestId: 'atelier.request.id',
  status: 'http.response.status_code',
  target: 'atelier.target',
};

/**
 * Sends spans to an OpenTelemetry collector over HTTP, in the background and in batches. The queue is bounded and nothing waits
 * for it: while the collector does not respond, spans are lost and requests are not affected.
 */
export function createOtlpTracing(options: OtlpTracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${options.endpoint}/v1/traces`,
    headers: { ...options.headers },
    timeoutMillis: SEND_TIMEOUT_MS,
    // A process that stops sends its whole queue at once.
    concurrencyLimit: MAX_QUEUED_SPANS / MAX_BATCH,
  });
  const counted: SpanExporter = {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        options.onSent({ count: spans.length, ok: result.code === 0 });
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
  const provider = new TracerProvider({
    // Whether to trace is decided once, where the trace starts.
    sampler: new AlwaysOnSampler(),
    spanLimits: { attributeValueLengthLimit: MAX_VALUE_LENGTH, attributeCountLimit: 32 },
    resource: resourceFromAttributes({
      'service.name': options.serviceName,
      'service.version': options.version,
      'service.instance.id': options.instance,
      'atelier.role': options.role,
      'atelier.cell': options.cell,
    }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: counted,
        maxQueueSize: MAX_QUEUED_SPANS,
        maxExportBatchSize: MAX_BATCH,
        scheduledDelayMillis: SEND_INTERVAL_MS,
        exportTimeoutMillis: SEND_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer('atelier');

  const start = (
    name: string,
    given: { kind: Kind; fields: SpanFields; startedAt?: Date | undefined },
    parent: Context,
  ): Span => {
    const span = tracer.startSpan(
      name,
      {
        kind: KINDS[given.kind],
        attributes: toAttributes(given.fields),
        ...(given.startedAt === undefined ? {} : { startTime: given.startedAt }),
      },
      parent,
    );
    const { traceId, spanId } = span.spanContext();
    return {
      traceId,
      traceparent: renderTraceparent({ traceId, spanId }),
      set: (fields) => void span.setAttributes(toAttributes(fields)),
      end({ errorType, at } = {}) {
        if (errorType !== undefined) {
          span.setAttribute('error.type', errorType);
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end(at);
        options.onEnded();
      },
    };
  };

  return {
    enabled: true,
    startTrace(name, given) {
      if (options.share < 1 && Math.random() >= options.share) return NO_SPAN;
      return start(name, given, (given.continues === undefined ? null : contextOf(given.continues)) ?? ROOT_CONTEXT);
    },
    startSpan(name, given) {
      const parent = given.parent === null ? null : contextOf(given.parent);
      return parent === null ? NO_SPAN : start(name, given, parent);
    },
    async close() {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_TIMEOUT_MS);
      });
      await Promise.race([provider.shutdown().catch(() => {}), late]);
      clearTimeout(timer);
    },
  };
}

function contextOf(traceparent: string): Context | null {
  const found = parseTraceparent(traceparent);
  if (found === null) return null;
  return trace.setSpanContext(ROOT_CONTEXT, { ...found, traceFlags: TraceFlags.SAMPLED, isRemote: true });
}

function toAttributes(fields: SpanFields): Attributes {
  const attributes: Attributes = {};
  for (const [field, value] of Object.entries(fields)) {
    const name = ATTRIBUTES[field as keyof SpanFields];
    if (name !== undefined && value !== undefined) attributes[name] = value;
  }
  return attributes;
}
