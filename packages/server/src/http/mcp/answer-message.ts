import type { IncomingHttpHeaders } from 'node:http';
import { type OperationRow, operations } from '@atelier/contract';
import type { Caller } from '../../domain/accounts/caller.ts';
import type { Services } from '../../domain/services.ts';
import { Problem } from '../../platform/problem.ts';
import { readBuildVersion } from '../../platform/read-build-version.ts';
import { refuseClosed } from '../bind-operation.ts';
import { createValidator } from '../body/validate.ts';
import { toProblem } from '../server/problem-handler.ts';
import { readBudget } from './daily-budget.ts';
import type { ProgressWaits } from './progress-waits.ts';
import { checkStateless, chooseSessionVersion, isStateless, META_SERVER, SUPPORTED_VERSIONS } from './protocol.ts';
import { RPC, RpcError, type RpcMessage } from './rpc-message.ts';
import { issueSession, requireSession } from './session.ts';
import type { Tool, ToolCall } from './tool.ts';
import { renderAnswer, renderProblem, type ToolResult } from './tool-result.ts';
import { describeInput, describeOutput } from './tool-schema.ts';
import { accountTool } from './tools/account-tool.ts';
import { catalogTools } from './tools/catalog-tools.ts';
import { generationTools } from './tools/generation-tools.ts';
import { uploadTool } from './tools/upload-tool.ts';

/** The tools, in the order in which an agent needs them. */
export const tools: readonly Tool[] = [...catalogTools, ...generationTools, uploadTool, accountTool];

const SERVER = { name: 'atelier', title: 'Atelier', version: readBuildVersion() };
const CAPABILITIES = { tools: {} };
const INSTRUCTIONS =
  'Generates images, video, audio and 3D for coins. Choose a model with list_models and get_model. Get the exact price with quote and tell it to the user before you spend. Start with generate, then call get_generation until the status is succeeded, failed or canceled. Failed generations cost nothing. If a response is lost, call generate again with the same input: it is not charged again, also after a reconnect. list_generations returns earlier generations.';
/** The list of tools changes only with the version of the server and the scopes of the key. */
const CACHE = { ttlMs: 300_000, cacheScope: 'private' } as const;

export interface McpContext {
  readonly services: Services;
  readonly waits: ProgressWaits;
  /** What a key may spend on a UTC day; 0: no limit. */
  readonly dailyBudgetCoins: number;
}

/** A request of a client, and how to reach the client while it is answered. */
export interface Exchange extends Omit<ToolCall, 'services' | 'budget' | 'waits'> {
  readonly message: RpcMessage;
  readonly headers: IncomingHttpHeaders;
  /** Called with a problem that the result reports. */
  readonly onProblem: (problem: Problem) => void;
}

export interface Answer {
  readonly result: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers one request of the protocol; throws an RpcError if it cannot. */
export async function answerMessage(context: McpContext, exchange: Exchange): Promise<Answer> {
  const { message, headers, caller } = exchange;
  if (isStateless(message, headers)) {
    checkStateless(message, headers);
    const result = await answerStateless(context, exchange);
    return { result: { resultType: 'complete', ...result, _meta: { [META_SERVER]: SERVER } } };
  }
  const { method, params } = message;
  if (method === 'initialize') {
    const protocolVersion = chooseSessionVersion(params.protocolVersion);
    return {
      result: { protocolVersion, capabilities: CAPABILITIES, serverInfo: SERVER, instructions: INSTRUCTIONS },
      headers: { 'mcp-session-id': issueSession(context.services, caller) },
    };
  }
  if (method === 'ping') return { result: {} };
  requireSession(context.services, caller, headers);
  if (method === 'tools/list') return { result: listTools(message, caller) };
  if (method === 'tools/call') return { result: await callTool(context, exchange) };
  throw new RpcError(RPC.methodNotFound, `Method not found: ${method}`);
}

async function answerStateless(context: McpContext, exchange: Exchange): Promise<object> {
  const { message, caller } = exchange;
  if (message.method === 'server/discover') {
    return { supportedVersions: SUPPORTED_VERSIONS, capabilities: CAPABILITIES, instructions: INSTRUCTIONS, ...CACHE };
  }
  if (message.method === 'tools/list') return { ...listTools(message, caller), ...CACHE };
  if (message.method === 'tools/call') return callTool(context, exchange);
  throw new RpcError(RPC.methodNotFound, `Method not found: ${message.method}`, { status: 404 });
}

const described = new Map(
  tools.map((tool) => [
    tool,
    {
      name: tool.name,
      title: tool.title,
      description: tool.description,
      inputSchema: describeInput(tool.input),
      outputSchema: describeOutput(tool.output),
      annotations: { title: tool.title, ...tool.hints },
    },
  ]),
);
const validators = new Map(tools.map((tool) => [tool, createValidator(tool.input, 'input')]));

/** The tools that the scopes of the key allow, all on one page. */
function listTools({ params }: RpcMessage, caller: Caller): { readonly tools: readonly unknown[] } {
  if (params.cursor !== undefined) throw new RpcError(RPC.invalidParams, 'The list of tools has no further page.');
  return { tools: tools.filter((tool) => mayCall(caller, tool)).map((tool) => described.get(tool)) };
}

const rowOf = ({ operation }: Tool): OperationRow => operations[operation];

function mayCall(caller: Caller, tool: Tool): boolean {
  const { scope } = rowOf(tool);
  return scope === null || caller.scopes.includes(scope);
}

async function callTool(context: McpContext, exchange: Exchange): Promise<ToolResult> {
  const { name, arguments: input = {} } = exchange.message.params;
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new RpcError(RPC.invalidParams, `Unknown tool: ${String(name).slice(0, 100)}`);
  try {
    const { services, waits } = context;
    const { caller, traceparent, signal, onGeneration, onWaiting, onProgress } = exchange;
    const row = rowOf(tool);
    if (!mayCall(caller, tool)) {
      throw new Problem('insufficient_scope', `This tool requires a key with the scope ${row.scope}.`);
    }
    // A repeat of an idempotent operation is a read: it checks these itself, for new requests only.
    if (row.idempotent !== true) refuseClosed(context, caller, row);
    (validators.get(tool) as (value: unknown) => void)(input);
    const budget = readBudget(services, caller, { headers: exchange.headers, operatorCoins: context.dailyBudgetCoins });
    const call: ToolCall = {
      services,
      caller,
      traceparent,
      budget,
      waits,
      signal,
      onGeneration,
      onWaiting,
      onProgress,
    };
    return await renderAnswer(services, await tool.call(call, input));
  } catch (error) {
    const problem = toProblem(error as Error);
    if (problem.code === 'internal' && !(error instanceof Problem)) throw error;
    exchange.onProblem(problem);
    return renderProblem(problem);
  }
}
