import { type ProblemCode, problems } from '../../packages/contract/src/index.ts';

const INTRODUCTION = `# Problems

Generated from \`packages/contract/src/problems.ts\` by \`npm run generate\`. Do not edit.

Every error response is an RFC 9457 problem with the content type \`application/problem+json\`. Branch on \`code\`: it never
changes. \`title\` and \`detail\` are for people. \`instance\` is the request id; include it when you contact the operator.
\`issues\`, if present, lists the errors by field. A rejected submit holds and charges nothing and does not use up its
idempotency key.
`;

export function renderProblemList(): string {
  const codes = (Object.keys(problems) as ProblemCode[]).toSorted((a, b) => problems[a].status - problems[b].status);
  const raised = codes.filter((code) => !('reserved' in problems[code]));
  const reserved = codes.filter((code) => 'reserved' in problems[code]);
  return [
    INTRODUCTION,
    '| Status | Code | Meaning | What to do |',
    '|---|---|---|---|',
    ...raised.map(
      (code) => `| ${problems[code].status} | ${link(code)} | ${problems[code].title} | ${problems[code].advice} |`,
    ),
    '',
    '## Reserved codes',
    '',
    'The contract reserves these codes. The service never returns them.',
    '',
    '| Status | Code | Meaning |',
    '|---|---|---|',
    ...reserved.map((code) => `| ${problems[code].status} | ${link(code)} | ${problems[code].title} |`),
    '',
  ].join('\n');
}

const link = (code: ProblemCode): string => `[\`${code}\`](${code}.md)`;
