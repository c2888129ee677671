import { type OperationRow, operations, PUBLIC_PROBLEM_CODES, problems } from '@atelier/contract';

/** The interface on one page of plain text, for language models. */
export function renderLlmsText(): string {
  const rows: OperationRow[] = Object.values(operations);
  return [
    '# Atelier',
    '',
    '> A paid HTTP API for media generation: image, video, audio and 3D. List models, get an exact price, submit once and',
    '> only once, follow by polling or webhook, download through short-lived links. Prices are in coins.',
    '',
    '- Description: /openapi.json (OpenAPI 3.1)',
    '- Model Context Protocol: POST /mcp (streamable HTTP, the same API keys)',
    '- Guides as Markdown: /guide/llms.txt (list), /llms-full.txt (all in one file)',
    '- Authentication: `Authorization: Bearer <API key>`',
    '- Every submit carries an `Idempotency-Key`, and either a `quoteToken` or `maxCoins`.',
    '- Poll `GET /v1/generations/{id}` no faster than every 2 seconds until the status is succeeded, failed or canceled.',
    '',
    '## Operations',
    '',
    ...rows.map(
      (row) => `- ${row.method} ${row.path} (${row.scope === null ? 'public' : `scope ${row.scope}`}): ${row.summary}.`,
    ),
    '',
    '## Problems',
    '',
    ...PUBLIC_PROBLEM_CODES.map((code) => {
      const { status, title, advice } = problems[code];
      return `- ${status} ${code}: ${title}. ${advice}`;
    }),
    '',
  ].join('\n');
}
