import type { Agent } from 'undici';
import type { CircuitBreaker } from '../../platform/flow/circuit-breaker.ts';
import type { Semaphore } from '../../platform/flow/semaphore.ts';

export const BACKEND_PROVIDERS = ['openai', 'comfyui', 'cog', 'replicate', 'fal'] as const;
export type BackendProvider = (typeof BACKEND_PROVIDERS)[number];

export const DIALECTS = ['openai', 'sglang', 'vllm-omni', 'sd-cpp', 'localai'] as const;
export type Dialect = (typeof DIALECTS)[number];

export interface BackendTimeouts {
  readonly connectMs: number;
  /** One short call: a status, a cancel, a small answer. */
  readonly callMs: number;
  /** One call that stays open while the output is made. */
  readonly makeMs: number;
  /** One file, from the first byte to the last. */
  readonly downloadMs: number;
  /** How long a busy backend is retried. */
  readonly busyMs: number;
  /** How long a backend that runs our work may be unreachable before the work is started again. */
  readonly awayMs: number;
}

/** A server that the operator configured. Its key is available only as a header to send and a text to conceal. */
export interface Backend {
  readonly name: string;
  readonly provider: BackendProvider;
  readonly dialect: Dialect;
  /** Without a trailing slash. */
  readonly url: string;
  /** Where else its files may be fetched, such as `https://*.replicate.delivery`. */
  readonly outputOrigins: readonly string[];
  readonly timeouts: BackendTimeouts;
  readonly maxOutputBytes: number;
  /** Limit on a response kept in memory: JSON, with files inside where the protocol does that. */
  readonly maxAnswerBytes: number;
  readonly retries: number;
  /** Whether the backend is asked to call us when a run ends. */
  readonly callbacks: boolean;
  readonly circuit: CircuitBreaker;
  readonly places: Semaphore;
  readonly agent: Agent;
  /** For probes, each on its own connection. */
  readonly probeAgent: Agent;
  authorization(): Record<string, string>;
  /** The text without the key, in case the backend repeats it. */
  conceal(text: string): string;
}

export interface Backends {
  readonly all: readonly Backend[];
  /** Undefined where the name is unknown or belongs to a backend of another protocol. */
  find(options: { name: string; providers: readonly BackendProvider[] }): Backend | undefined;
  close(): Promise<void>;
}
