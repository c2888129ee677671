import type { Command } from './command.ts';
import { accountCommand, uploadCommand } from './commands/account.ts';
import { effectsCommand, modelsCommand } from './commands/catalog.ts';
import { eventsCommand, listenCommand, verifyWebhookCommand } from './commands/events.ts';
import { generateCommand, quoteCommand } from './commands/generate.ts';
import { cancelCommand, getCommand, listCommand } from './commands/generations.ts';
import { loginCommand, logoutCommand } from './commands/login.ts';
import { usageCommand } from './commands/usage.ts';

/** Every command, in the order of the help. */
export const commands: Readonly<Record<string, Command>> = {
  login: loginCommand,
  logout: logoutCommand,
  models: modelsCommand,
  effects: effectsCommand,
  quote: quoteCommand,
  generate: generateCommand,
  get: getCommand,
  list: listCommand,
  cancel: cancelCommand,
  upload: uploadCommand,
  account: accountCommand,
  usage: usageCommand,
  listen: listenCommand,
  events: eventsCommand,
  'verify-webhook': verifyWebhookCommand,
};
