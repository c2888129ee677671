import type { TrackedFile } from './tracked-files.ts';

/** A request that is not sent by the SDK: fetch, undici, or the modules of Node. */
const SENDS =
  /(?<![\w.])fetch\(|from 'undici'|import \{[^}]*\b(request|get)\b[^}]*\} from 'node:https?'|import \{[^}]*\bconnect\b[^}]*\} from 'node:(net|tls)'/;

/** The end-to-end tests that send HTTP themselves, and why. All others use the SDK, most through harness/client.ts. */
const RAW_HTTP: Readonly<Record<string, string>> = {
  'e2e/docs/snippets.e2e.test.ts': 'waits until a receiver of the guide listens',
  'e2e/drills/failover.soak.test.ts': 'asks for readiness',
  'e2e/engines/cog-server.ts': 'asks a Cog server, not the service',
  'e2e/files/bucket-ownership.e2e.test.ts': 'opens signed links, and asks for readiness',
  'e2e/files/fault-proxy.ts': 'is a proxy in front of the bucket',
  'e2e/files/isolation.e2e.test.ts': 'opens signed links of others and forged ones',
  'e2e/files/link-redirect.e2e.test.ts': 'tests the headers of signed links',
  'e2e/files/resumable.e2e.test.ts': 'breaks off requests in the middle',
  'e2e/files/retention.e2e.test.ts': 'opens links of deleted files',
  'e2e/files/send-upload.ts': 'sends upload forms byte by byte',
  'e2e/files/store-faults.e2e.test.ts': 'opens signed links while the bucket fails',
  'e2e/files/upload-forms.e2e.test.ts': 'sends malformed upload forms',
  'e2e/harness/client.ts': 'sends what the SDK has no method for, and the requests of the SDK themselves',
  'e2e/harness/read-metric.ts': 'reads metrics',
  'e2e/harness/start-balancer.ts': 'is a proxy in front of the service',
  'e2e/harness/start-database-proxy.ts': 'is a proxy in front of the database',
  'e2e/harness/start-prometheus.ts': 'asks a Prometheus, not the service',
  'e2e/harness/start-stack.ts': 'asks for readiness',
  'e2e/harness/start-steady-load.ts': 'counts every failed connection of a steady load',
  'e2e/http/access-log.e2e.test.ts': 'disconnects early',
  'e2e/http/examples.e2e.test.ts': 'sends a conditional request',
  'e2e/http/graceful-shutdown.e2e.test.ts': 'tests the connections of a process that stops',
  'e2e/http/metrics.e2e.test.ts': 'reads metrics',
  'e2e/http/raw-socket.ts': 'sends what is not HTTP',
  'e2e/mcp/mcp-client.ts': 'sends the requests of the official clients to several processes in turn',
  'e2e/mcp/mcp.e2e.test.ts': 'opens signed links',
  'e2e/money/half-open-database.e2e.test.ts': 'asks for readiness',
  'e2e/openai/lose-first-answer.ts': 'is a proxy between the official clients and the service',
  'e2e/openai/openai-clients.e2e.test.ts': 'opens signed links, and sends what the official clients cannot',
  'e2e/operate/cannot-start.e2e.test.ts': 'asks for the health of a process that cannot start',
  'e2e/operate/container.e2e.test.ts': 'asks for the health of a container',
  'e2e/operate/master-key-rotation.e2e.test.ts': 'opens signed links',
  'e2e/operate/monitoring.soak.test.ts': 'asks for readiness',
  'e2e/operate/pgbouncer.e2e.test.ts': 'opens signed links, and asks for readiness',
  'e2e/operate/read-only.e2e.test.ts': 'asks for readiness',
  'e2e/operate/restore.e2e.test.ts': 'opens signed links, and sends the callback of a provider',
  'e2e/operate/slim-install.soak.test.ts': 'asks for the health of the cdn, and opens a link without a signature',
  'e2e/sdk/journey.e2e.test.ts': 'forges webhooks, and forwards the requests of a page',
  'e2e/sdk/lossy-proxy.ts': 'is a proxy between the SDK and the service',
  'e2e/webhooks/read-stream.ts': 'reads the event stream line by line, also slowly',
};

/** Raw HTTP needs a reason, so that the tests show how the SDK behaves with the real service. */
export function findRawHttp(files: readonly TrackedFile[]): string[] {
  const sending = files
    .filter(({ path, text }) => /^e2e\/.*\.ts$/.test(path) && SENDS.test(text))
    .map(({ path }) => path);
  return [
    ...sending
      .filter((path) => !Object.hasOwn(RAW_HTTP, path))
      .map((path) => `${path}: use the SDK, or say in test/tidy/e2e-rules.ts why not`),
    ...Object.keys(RAW_HTTP)
      .filter((path) => !sending.includes(path))
      .map((path) => `${path}: sends no raw HTTP, remove its row from test/tidy/e2e-rules.ts`),
  ];
}
