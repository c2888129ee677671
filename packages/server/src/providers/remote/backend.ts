import type { Agent } from 'undici';
import type { CircuitBreaker } from '../../platform/circuit-breaker.ts';
import type { Semaphore } from '../../platform/semaphore.ts';

export const BACKEND_PROVIDERS = ['openai', 'comfyui', 'cog', 'replicate', 'fal'] as const;
export type BackendProvider = (typeof BACKEND_PROVIDERS)[number];

export const DIALECTS = ['openai', 'sglang', 'vllm-omni', 'sd-cpp', 'localai'] as const;
export type Dialect = (typeof DIALECTS)[number];

export interface BackendTimeouts {
  readonly connectMs: number;
  /** One short call: a status, a cancel, a small answer. */
  readonly callMs: number;
  /** One call that is held open while something is made. */
  readonly makeMs: number;
  /** One file, from the first byte to the last. */
  readonly downloadMs: number;
  /** How long a backend without a free place is asked again. */
  readonly busyMs: number;
  /** How long a backend that has our work may not be reached before the work is begun anew. */
  readonly awayMs: number;
}

/** One server of the operator. Its key is reachable only as a header to send and a word to conceal. */
export interface Backend {
  readonly name: string;
  readonly provider: BackendProvider;
  readonly dialect: Dialect;
  /** Without a slash at the end. */
  readonly url: string;
  /** Where else its files may be fetched, such as `https://*.replicate.delivery`. */
  readonly outputOrigins: readonly string[];
  readonly timeouts: BackendTimeouts;
  readonly maxOutputBytes: number;
  /** Of an answer that is held in memory: JSON, with files inside it where the protocol does that. */
  readonly maxAnswerBytes: number;
  readonly retries: number;
  /** Whether the backend is asked to call us when a run ends. */
  readonly callbacks: boolean;
  readonly circuit: CircuitBreaker;
  readonly places: Semaphore;
  readonly agent: Agent;
  /** For probes, each on a connection of its own. */
  readonly probeAgent: Agent;
  authorization(): Record<string, string>;
  /** The text without the key, should the backend repeat it. */
  conceal(text: string): string;
}

export interface Backends {
  readonly all: readonly Backend[];
  /** Undefined where the name is unknown or belongs to a backend of another protocol. */
  find(options: { name: string; providers: readonly BackendProvider[] }): Backend | undefined;
  close(): Promise<void>;
}
