import type { Signal, Source } from '../audio/signal.ts';

export interface Recipe {
  /** Words of a prompt that select it, besides its name. */
  readonly words: readonly string[];
  /** A bed plays continuously; a shot plays once and repeats after its period, if there is time. */
  readonly kind: 'bed' | 'shot';
  readonly periodSeconds?: number;
  /** Amount of reverb, 0 to 1. */
  readonly room?: number;
  make(options: { seconds: number; random: Source }): Signal;
}
