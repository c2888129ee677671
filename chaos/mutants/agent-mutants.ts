import { code, type Mutant } from './mutant.ts';

const MCP = 'http/mcp/mcp';
const ACCESS = 'http/console/authorizations';
const SUBMIT_FILE = 'http/mcp/submit-agent-request.ts';
const CODE_FILE = 'domain/accounts/authorizations/authorization-code.ts';

export const agentMutants: readonly Mutant[] = [
  code(SUBMIT_FILE, {
    name: "an agent's retry is a new request",
    find: 'deriveKey([caller.keyId, subject, label, previous])',
    replace: 'deriveKey([caller.keyId, subject, label, previous, Math.random()])',
    tests: [MCP],
  }),
  code(SUBMIT_FILE, {
    name: 'a retry of a retry after a failure pays again',
    find: 'previous = created.generation.id;',
    replace: 'previous = crypto.randomUUID();',
    tests: [MCP],
  }),
  code('http/mcp/answer-message.ts', {
    name: 'budget of the day not passed on',
    find: '      budget,\n      waits,',
    replace: '      budget: budget && undefined,\n      waits,',
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
