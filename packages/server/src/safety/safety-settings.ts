/** `flag` only logs; `block` fails the generation with `content_policy`. */
export type SafetyMode = 'off' | 'flag' | 'block';

export interface ClassifierSettings {
  readonly mode: SafetyMode;
  /** 0 to 1: this score and above are flagged. */
  readonly threshold: number;
}

export interface ModerationSettings extends ClassifierSettings {
  /** Base URL of a server that implements POST /v1/moderations; null for none. */
  readonly url: string | null;
  readonly apiKey: string | null;
  readonly model: string | null;
  readonly timeoutMs: number;
  /** When the server does not answer: `open` skips the check, `closed` fails the generation as unavailable. */
  readonly onFailure: 'open' | 'closed';
}

export interface SafetySettings {
  /** The floor has no threshold: it matches or it does not. */
  readonly floor: { readonly mode: SafetyMode };
  readonly prompt: ClassifierSettings;
  readonly picture: ClassifierSettings;
  readonly moderation: ModerationSettings;
}

/** The prompt threshold comes from the sweep that scripts/measure-safety.ts prints; the picture one from trials. */
export const DEFAULT_SAFETY_SETTINGS: SafetySettings = {
  floor: { mode: 'block' },
  prompt: { mode: 'block', threshold: 0.6 },
  picture: { mode: 'block', threshold: 0.85 },
  moderation: {
    mode: 'off',
    threshold: 0.5,
    url: null,
    apiKey: null,
    model: null,
    timeoutMs: 5_000,
    onFailure: 'open',
  },
};
