import { isLoopback } from '../../platform/is-loopback.ts';
import type { Config } from './config.ts';
import type { SettingName } from './settings.ts';

interface UnsafeRow {
  readonly setting: SettingName;
  readonly value: string;
  /** What is not protected then. */
  readonly risk: string;
  readonly applies: (config: Config) => boolean;
}

/** The listeners of this installation are for its own machine only, as in development. */
const isLocal = (config: Config) => isLoopback(config.publicUrl) && isLoopback(config.cdnUrl);

/** Settings that turn a protection off. Each is allowed, and none goes unnoticed. */
const rows: readonly UnsafeRow[] = [
  {
    setting: 'MEDIA_SANDBOX',
    value: 'none',
    risk: 'programs read files of customers unconfined',
    applies: ({ mediaConfinement }) => mediaConfinement === 'none',
  },
  {
    setting: 'SAFETY_FLOOR',
    value: 'off',
    risk: 'prompts are not compared with the fixed rules',
    applies: ({ safety }) => safety.floor.mode === 'off',
  },
  {
    setting: 'SAFETY_FLOOR',
    value: 'flag',
    risk: 'prompts that break the fixed rules run',
    applies: ({ safety }) => safety.floor.mode === 'flag',
  },
  {
    setting: 'SAFETY_PROMPT',
    value: 'off',
    risk: 'prompts are not classified',
    applies: ({ safety }) => safety.prompt.mode === 'off',
  },
  {
    setting: 'SAFETY_PICTURE',
    value: 'off',
    risk: 'uploads and outputs are not classified',
    applies: ({ safety }) => safety.picture.mode === 'off',
  },
  {
    setting: 'ALLOW_FAULTS',
    value: 'true',
    risk: 'FAULT can break the service',
    applies: ({ allowFaults }) => allowFaults,
  },
  {
    setting: 'DESK_SECOND_FACTOR',
    value: 'off',
    risk: 'a password is enough for the desk',
    applies: ({ deskSecondFactor }) => !deskSecondFactor,
  },
  {
    setting: 'WEBHOOK_ALLOW_HTTP',
    value: 'true',
    risk: 'webhooks are sent unencrypted and to any port',
    applies: (config) => config.webhookAllowHttp && !isLocal(config),
  },
  {
    setting: 'CONSOLE_URL',
    value: 'http:',
    risk: 'the cookies of signed-in people are sent unencrypted',
    applies: ({ consoleUrl }) => consoleUrl.startsWith('http:') && !isLoopback(consoleUrl),
  },
];

export interface UnsafeSetting {
  readonly setting: SettingName;
  /** The value and its risk, for the operator. */
  readonly reason: string;
}

export function findUnsafeSettings(config: Config): UnsafeSetting[] {
  return rows
    .filter(({ applies }) => applies(config))
    .map(({ setting, value, risk }) => ({ setting, reason: `${value}: ${risk}` }));
}
