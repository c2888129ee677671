import { code, type Mutant } from './mutant.ts';

const MCP = 'http/mcp/mcp';
const ACCESS = 'http/console/authorizations';
const SUBMIT_FILE = 'http/mcp/submit-once-per-session.ts';
const CODE_FILE = 'domain/accounts/authorizations/authorization-code.ts';

export const agentMutants: readonly Mutant[] = [
  code(SUBMIT_FILE, {
    name: "an agent's retry is a new request",
    find: 'deriveKey([session.id, subject, repeat, previous])',
    replace: 'deriveKey([session.id, subject, repeat, previous, Math.random()])',
    tests: [MCP],
  }),
  code(SUBMIT_FILE, {
    name: 'a retry of a retry after a failure pays again',
    find: 'previous = generation.id;',
    replace: 'previous = crypto.randomUUID();',
    tests: [MCP],
  }),
  code('http/mcp/answer-message.ts', {
    name: 'budget of the session not passed on',
    find: 'const call: ToolCall = { services, caller, traceparent, session, budget,',
    replace: 'const call: ToolCall = { services, caller, traceparent, session, budget: budget && undefined,',
    tests: [MCP],
  }),
  code(CODE_FILE, {
    name: 'a code works twice',
    find: '{ id: keyId, accountId, name,',
    replace: '{ accountId, name,',
    tests: [ACCESS],
  }),
  code(CODE_FILE, {
    name: 'a code works without its secret',
    find: '    !equalInConstantTime({ a: Buffer.from(grant.codeChallenge), b: Buffer.from(challenge) })',
    replace: "    challenge === ''",
    tests: [ACCESS],
  }),
  code(CODE_FILE, {
    name: 'a code never expires',
    find: '    grant.expiresAtMs <= now ||\n',
    replace: '',
    tests: [ACCESS],
  }),
];
