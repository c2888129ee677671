/** Traces for operators (docs/operate/tracing.md). The names are those of OpenTelemetry where it has one. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      'Base URL of an OpenTelemetry collector that takes OTLP over HTTP, such as http://127.0.0.1:4318. Empty: nothing is traced (docs/operate/tracing.md).',
    kind: 'text',
    default: '',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    description: 'Headers for the collector: `name=value`, comma-separated, values percent-encoded.',
    kind: 'secret',
    default: '',
  },
  OTEL_SERVICE_NAME: { description: 'Name of this installation in traces.', kind: 'text', default: 'atelier' },
  TRACE_SHARE: { description: 'Share of requests to trace, from 0 to 1.', kind: 'text', default: '1' },
} as const;
