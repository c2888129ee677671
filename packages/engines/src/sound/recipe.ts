import type { Signal, Source } from '../audio/signal.ts';

export interface Recipe {
  /** Words of a prompt that ask for it, beside its name. */
  readonly words: readonly string[];
  /** A bed sounds throughout; a shot sounds once and comes again after its period, if there is time. */
  readonly kind: 'bed' | 'shot';
  readonly periodSeconds?: number;
  /** How much the room answers, 0 to 1. */
  readonly room?: number;
  make(options: { seconds: number; random: Source }): Signal;
}
