import type { BackingServices } from '../scripts/services.ts';

export interface BenchContext {
  readonly services: BackingServices;
  /** Duration of the measurement of each side. */
  readonly seconds: number;
  readonly say: (line: string) => void;
}

/** Measures both sides in one run and returns the results by name. */
export type Bench = (context: BenchContext) => Promise<Record<string, number>>;
