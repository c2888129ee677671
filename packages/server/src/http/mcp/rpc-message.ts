import { Problem } from '../../platform/problem.ts';
import { parseJson } from '../body/parse-json.ts';

/** The error codes of JSON-RPC 2.0 and of the Model Context Protocol that this server returns. */
export const RPC = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  headerMismatch: -32_020,
  unsupportedVersion: -32_022,
} as const;

/** An error of the protocol: the client's program must change its request. What an agent can correct is a tool result instead. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  /** The HTTP status of the response. */
  readonly status: number;
  readonly data: unknown;

  constructor(code: number, message: string, options: { status?: number; data?: unknown } = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? 200;
    this.data = options.data;
  }
}

export type RpcId = string | number;

export interface RpcMessage {
  /** Null for a notification, which gets no response. */
  readonly id: RpcId | null;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

const MAX_ID_LENGTH = 256;

/** Reads the body of a POST: one request or notification. */
export function readMessage(bytes: Uint8Array): RpcMessage {
  const value = parse(bytes);
  if (Array.isArray(value)) throw invalid('Batches are not supported: send one message per request.');
  if (!isRecord(value) || value.jsonrpc !== '2.0') throw invalid('The body must be a JSON-RPC 2.0 message.');
  const { id = null, method, params = {} } = value;
  if (typeof method !== 'string') throw invalid('The message must have a method: the server accepts no responses.');
  if ('id' in value && !isId(id)) throw invalid('The id must be a string or an integer.');
  if (!isRecord(params)) throw invalid('The params must be an object.');
  return { id: id as RpcId | null, method, params };
}

function parse(bytes: Uint8Array): unknown {
  try {
    return parseJson(bytes);
  } catch (error) {
    if (error instanceof Problem) throw new RpcError(RPC.parseError, error.message, { status: 400 });
    throw error;
  }
}

function invalid(message: string): RpcError {
  return new RpcError(RPC.invalidRequest, message, { status: 400 });
}

function isId(id: unknown): id is RpcId {
  return typeof id === 'string' ? id.length <= MAX_ID_LENGTH : Number.isSafeInteger(id);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
