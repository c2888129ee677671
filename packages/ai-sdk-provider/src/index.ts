export { type AtelierProvider, type AtelierProviderOptions, createAtelier } from './create-atelier.ts';
export type { AtelierCallOptions } from './read-call-options.ts';
