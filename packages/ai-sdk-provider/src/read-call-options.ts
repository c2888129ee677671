import { InvalidArgumentError } from '@ai-sdk/provider';

/** The options of one call: `providerOptions: { atelier: { ... } }`. */
export type AtelierCallOptions = {
  /** The most that the call may cost. */
  maxCoins?: number;
  /** How long to wait for the end: 10 minutes by default. */
  timeoutMs?: number;
  /** True if everyone whose likeness or voice is used has agreed. `consent` of a model says whether it is needed. */
  consent?: true;
  /** Params of the model that the AI SDK has no name for, such as `style`. They take precedence over all others. */
  params?: Record<string, string | number | boolean | string[]>;
};

const ARGUMENT = 'providerOptions.atelier';
const CHECKS: { readonly [Name in keyof AtelierCallOptions]-?: (value: unknown) => boolean } = {
  maxCoins: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  timeoutMs: (value) => typeof value === 'number' && value > 0,
  consent: (value) => value === true,
  params: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

export interface CallOptions extends Pick<AtelierCallOptions, 'timeoutMs' | 'consent'> {
  readonly maxCoins: number;
  readonly params: NonNullable<AtelierCallOptions['params']>;
}

/** Refuses unknown names: a misspelled limit would be no limit. */
export function readCallOptions(
  providerOptions: Readonly<Record<string, unknown>> | undefined,
  defaultMaxCoins: number | undefined,
): CallOptions {
  const given = (providerOptions?.atelier ?? {}) as AtelierCallOptions;
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(CHECKS, name))
      throw refuse(name, `There is no such option: use ${Object.keys(CHECKS).join(', ')}`);
    if (!CHECKS[name as keyof AtelierCallOptions](value)) throw refuse(name, 'The value is not valid');
  }
  const maxCoins = given.maxCoins ?? defaultMaxCoins;
  if (maxCoins === undefined) {
    throw refuse('maxCoins', 'Set the most that a call may cost, here or as maxCoins of createAtelier');
  }
  return { timeoutMs: given.timeoutMs, consent: given.consent, maxCoins, params: given.params ?? {} } as CallOptions;
}

function refuse(name: string, message: string): InvalidArgumentError {
  return new InvalidArgumentError({ argument: `${ARGUMENT}.${name}`, message: `${ARGUMENT}.${name}: ${message}` });
}
