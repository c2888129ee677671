import { WebhookEvent } from '../event.ts';
import { Ref } from '../marks.ts';
import { type OperationId, operations } from '../operations.ts';
import { Problem } from '../problem.ts';
import { problemExample } from '../problem-example.ts';
import { PUBLIC_PROBLEM_CODES, problems } from '../problems.ts';
import { describeOperation } from './describe-operation.ts';
import { describeWebhooks } from './describe-webhooks.ts';
import type { JsonSchema, OpenApiDocument, PathItem } from './document.ts';
import { extractComponents } from './extract-components.ts';
import { headers } from './headers.ts';

export const INTERFACE_VERSION = '1.0.0';

/** The public API as OpenAPI 3.1, built from the tables. */
export function buildOpenApi(): OpenApiDocument {
  const components = new Map<string, JsonSchema>();
  extractComponents(Ref('Problem', Problem), components);
  extractComponents(Ref('WebhookEvent', WebhookEvent), components);
  const paths = describePaths(components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Atelier API',
      version: INTERFACE_VERSION,
      summary: 'Paid media generation with exact quotes, idempotent submits, signed links and webhooks.',
      description: INFO,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service.' }],
    tags: [
      { name: 'catalog', description: 'Models and effects. Public: no API key needed.' },
      { name: 'generations', description: 'Quote, submit, track and cancel generations.' },
      { name: 'files', description: 'Uploads, and signed links to files.' },
      { name: 'account', description: 'Balance, limits and the calling key.' },
      { name: 'events', description: 'Events of finished generations: webhooks, list and stream.' },
    ],
    paths,
    webhooks: describeWebhooks(),
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      headers,
      examples: describeProblemExamples(),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key from the account page. Keep it on your server.',
        },
      },
    },
  };
}

const INFO = [
  'Requests are paid in coins. Coins are held when a generation is queued, charged per delivered output, and refunded in full when it fails or is canceled.',
  'Request and response bodies are JSON unless stated otherwise. Errors are RFC 9457 problem details; branch on the stable `code`.',
  'Version 1 only adds: ignore unknown fields and tolerate new enum values.',
].join('\n\n');

function describePaths(components: Map<string, JsonSchema>): Record<string, PathItem> {
  const paths: Record<string, PathItem> = {};
  for (const id of Object.keys(operations) as OperationId[]) {
    const { path, method } = operations[id];
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(id, components) };
  }
  return paths;
}

function describeProblemExamples(): OpenApiDocument['components']['examples'] {
  const raised = PUBLIC_PROBLEM_CODES.filter(
    (code) => !('reserved' in problems[code]) && !('fileHost' in problems[code]),
  );
  return Object.fromEntries(
    raised.map((code) => [code, { summary: problems[code].title, value: problemExample(code) }]),
  );
}
