import type { Services } from '../scripts/services.ts';

export interface BenchContext {
  readonly services: Services;
  /** How long each side is measured. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** Measures both sides in one run and answers the figures by name. */
export type Bench = (context: BenchContext) => Promise<Record<string, number>>;
