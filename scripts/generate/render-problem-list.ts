import { type ProblemCode, problems } from '../../packages/contract/src/index.ts';

const INTRODUCTION = `# Problems

Generated from the problems table by \`npm run generate\`; edit the table, not this page.

Every error of the API is an RFC 9457 problem with the content type \`application/problem+json\`. Branch on \`code\`: it never
changes. \`title\` and \`detail\` are for people. \`instance\` is the request id; name it when you ask for help. \`issues\`, where
present, lists what is wrong field by field. A refused submit holds nothing, charges nothing and leaves its idempotency key
free.
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
    '## Reserved names',
    '',
    'The contract sets these names aside. Nothing raises them today.',
    '',
    '| Status | Code | Meaning |',
    '|---|---|---|',
    ...reserved.map((code) => `| ${problems[code].status} | ${link(code)} | ${problems[code].title} |`),
    '',
  ].join('\n');
}

const link = (code: ProblemCode): string => `[\`${code}\`](${code}.md)`;
