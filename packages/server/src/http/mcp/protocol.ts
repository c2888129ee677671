import type { IncomingHttpHeaders } from 'node:http';
import { isRecord, RPC, RpcError, type RpcMessage } from './rpc-message.ts';

/** Each request stands alone and describes itself. */
export const STATELESS_VERSION = '2026-07-28';
/** `initialize` opens a session, the newest version first. */
export const SESSION_VERSIONS: readonly string[] = ['2025-11-25', '2025-06-18'];
export const SUPPORTED_VERSIONS: readonly string[] = [STATELESS_VERSION, ...SESSION_VERSIONS];

const META_VERSION = 'io.modelcontextprotocol/protocolVersion';
const META_CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const META_SERVER = 'io.modelcontextprotocol/serverInfo';

function metaOf({ params }: RpcMessage): Readonly<Record<string, unknown>> {
  return isRecord(params._meta) ? params._meta : {};
}

/** What notifications about this request name; null if the client wants none. */
export function progressTokenOf(message: RpcMessage): string | number | null {
  const { progressToken } = metaOf(message);
  return typeof progressToken === 'string' || typeof progressToken === 'number' ? progressToken : null;
}

/** Whether the client uses the protocol without sessions. An `initialize` always asks for a session. */
export function isStateless(message: RpcMessage, headers: IncomingHttpHeaders): boolean {
  if (message.method === 'initialize') return false;
  const version = headers['mcp-protocol-version'];
  return metaOf(message)[META_VERSION] !== undefined || (version !== undefined && !isSessionVersion(version));
}

function isSessionVersion(version: unknown): boolean {
  return SESSION_VERSIONS.includes(version as string);
}

/** Refuses a stateless request whose description is missing, unsupported, or differs from its headers. */
export function checkStateless(message: RpcMessage, headers: IncomingHttpHeaders): void {
  const meta = metaOf(message);
  const version = meta[META_VERSION];
  if (typeof version !== 'string') {
    throw new RpcError(RPC.invalidParams, `The request has no _meta["${META_VERSION}"].`, { status: 400 });
  }
  requireHeader(headers, 'MCP-Protocol-Version', version);
  if (version !== STATELESS_VERSION) {
    throw new RpcError(RPC.unsupportedVersion, 'Unsupported protocol version', {
      status: 400,
      data: { supported: SUPPORTED_VERSIONS, requested: version },
    });
  }
  if (!isRecord(meta[META_CAPABILITIES])) {
    throw new RpcError(RPC.invalidParams, `The request has no _meta["${META_CAPABILITIES}"].`, { status: 400 });
  }
  requireHeader(headers, 'Mcp-Method', message.method);
  if (message.method === 'tools/call') requireHeader(headers, 'Mcp-Name', String(message.params.name));
}

/** Proxies decide by these headers, so they must not differ from the body. */
function requireHeader(headers: IncomingHttpHeaders, name: string, expected: string): void {
  const value = headers[name.toLowerCase()];
  if (typeof value === 'string' && decodeHeader(value) === expected) return;
  const found = value === undefined ? 'is missing' : 'differs from the body';
  throw new RpcError(RPC.headerMismatch, `Header mismatch: ${name} ${found}.`, { status: 400 });
}

const ENCODED = /^=\?base64\?([A-Za-z0-9+/]*={0,2})\?=$/;

function decodeHeader(value: string): string {
  const encoded = ENCODED.exec(value)?.[1];
  return encoded === undefined ? value : Buffer.from(encoded, 'base64').toString('utf8');
}

/** The version of a new session: the client's if it is supported, else the newest. The client disconnects if it cannot use that. */
export function chooseSessionVersion(requested: unknown): string {
  return isSessionVersion(requested) ? (requested as string) : (SESSION_VERSIONS[0] as string);
}
