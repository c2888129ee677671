import type { SettingName } from './settings.ts';

type Text = (name: SettingName) => string;

/** Where traces go; null without a collector. */
export function readTracing({ text, share }: { text: Text; share: (name: SettingName) => number }, errors: string[]) {
  const endpoint = text('OTEL_EXPORTER_OTLP_ENDPOINT').replace(/\/$/, '');
  const traceShare = share('TRACE_SHARE');
  const headers = readHeaders(text('OTEL_EXPORTER_OTLP_HEADERS'), errors);
  const serviceName = text('OTEL_SERVICE_NAME');
  if (endpoint === '') return null;
  if (!/^https?:$/.test(URL.parse(endpoint)?.protocol ?? '')) {
    errors.push('OTEL_EXPORTER_OTLP_ENDPOINT must be an http:// or https:// URL');
  }
  return { endpoint, headers, serviceName, share: traceShare };
}

const HEADER = /^([!#$%&'*+.^_`|~\w-]+)\s*=(.*)$/;

function readHeaders(given: string, errors: string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of given.split(',').map((each) => each.trim())) {
    if (pair === '') continue;
    const [, name, value] = HEADER.exec(pair) ?? [];
    const decoded = decode(value);
    // The value may be a secret, so it is not repeated.
    if (name === undefined || decoded === null) {
      errors.push('OTEL_EXPORTER_OTLP_HEADERS must be name=value pairs, comma-separated, values percent-encoded');
      break;
    }
    headers[name] = decoded;
  }
  return headers;
}

function decode(value: string | undefined): string | null {
  try {
    return value === undefined ? null : decodeURIComponent(value.trim());
  } catch {
    return null;
  }
}
