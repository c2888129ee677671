import type { BackingServices } from '../scripts/services.ts';

export interface BenchContext {
  readonly services: BackingServices;
  /** Duration of the measurement of each side, over all rounds. */
  readonly seconds: number;
  /** How often each side is measured. */
  readonly rounds: number;
  readonly say: (line: string) => void;
}

/** The results of a bench by name. `bars.ts` refers to these names. */
export type Figures = Readonly<Record<string, number>>;

/** Measures both sides in alternating rounds. */
export type Bench = (context: BenchContext) => Promise<Figures>;
