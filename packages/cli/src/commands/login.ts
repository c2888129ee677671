import { hostname } from 'node:os';
import { Atelier } from '@atelier/sdk';
import type { Command, Context } from '../command.ts';
import { LoginDenied, UsageError } from '../exit-code.ts';
import { startPairing, waitForKey } from '../pair.ts';
import { needInteger } from '../read-command.ts';
import { readSettings, type StoredSettings, settingsPath, writeSettings } from '../settings.ts';
import { clean } from '../terminal.ts';

const SCOPES = ['generate', 'read', 'uploads', 'account'];
const MAX_NAME_CHARS = 100;

export const loginCommand: Command = {
  summary: 'get an API key from the console, or store one',
  args: [],
  options: {
    console: { says: 'address of the console (ATELIER_CONSOLE_URL)', value: 'URL' },
    name: { says: 'name of the new key; this machine by default', value: 'NAME' },
    scope: { says: 'scope of the new key; all by default', value: 'SCOPE', values: SCOPES, isRepeatable: true },
    'monthly-cap': { says: 'coins that the new key may spend in a month', value: 'COINS' },
    'api-key': { says: 'store this key instead; - reads it from standard input', value: 'KEY' },
  },
  details: `Without --api-key it prints a code and waits until you confirm the code in the console, for at most ten minutes.
The key is stored in a file that only you can read. ATELIER_API_KEY takes precedence.`,
  async run(context) {
    const { env, options, terminal, json } = context;
    const stored = await readSettings(env);
    const { name, ...found } = await (options['api-key'] === undefined ? pair(context, stored) : read(context, stored));
    const path = await writeSettings(env, { ...stored, ...found });
    if (json) terminal.print(JSON.stringify({ baseUrl: found.baseUrl, file: path, key: name }));
    else terminal.print(`Logged in with the key ${clean(name)}. Stored in ${path}`);
    return 0;
  },
};

interface Login extends StoredSettings {
  readonly name: string | null;
}

async function read({ env, options, terminal, signal }: Context, stored: StoredSettings): Promise<Login> {
  const baseUrl = options['base-url'] ?? env.ATELIER_BASE_URL ?? stored.baseUrl;
  if (baseUrl === undefined) throw new UsageError('pass the address of the service as --base-url');
  let apiKey = options['api-key']!;
  if (apiKey === '-') {
    const chunks: Buffer[] = [];
    for await (const chunk of terminal.streams.stdin) chunks.push(chunk as Buffer);
    apiKey = Buffer.concat(chunks).toString().trim();
  }
  const account = await new Atelier({ baseUrl, apiKey }).account.get({ signal });
  return { baseUrl, apiKey, name: account.key?.name ?? null };
}

async function pair(context: Context, stored: StoredSettings): Promise<Login> {
  const { env, options, lists, terminal, signal } = context;
  const consoleUrl = options.console ?? (env.ATELIER_CONSOLE_URL || stored.consoleUrl);
  if (consoleUrl === undefined) {
    throw new UsageError('pass the address of the console as --console, or an API key as --api-key');
  }
  if (!/^https?:\/\//i.test(consoleUrl) || !URL.canParse(consoleUrl)) throw new UsageError('--console must be a URL');
  const scopes = lists.scope ?? SCOPES;
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) throw new UsageError(`--scope must be one of ${SCOPES.join(', ')}`);
  const deviceName = (options.name ?? `atelier on ${hostname()}`).slice(0, MAX_NAME_CHARS);
  const monthlySpendCapCoins = needInteger(context, 'monthly-cap') ?? null;
  // The key is sent once: a file that cannot be written must be known before.
  await writeSettings(env, { ...stored, consoleUrl });
  const pairing = await startPairing(consoleUrl, { deviceName, scopes, monthlySpendCapCoins }, signal);
  // Also with --json: without the code nobody can confirm it.
  terminal.streams.stderr.write(`Open ${clean(pairing.pairUrl)}\nand enter the code ${clean(pairing.userCode)}\n`);
  terminal.status('waiting for your approval');
  const paired = await waitForKey(consoleUrl, pairing, signal);
  terminal.endStatus();
  if (paired === null) throw new LoginDenied('the request was denied in the console');
  return { consoleUrl, baseUrl: paired.apiUrl, apiKey: paired.secret, name: paired.key.name };
}

export const logoutCommand: Command = {
  summary: 'remove the stored API key',
  args: [],
  options: {},
  async run({ env, terminal, json }) {
    const { apiKey: _removed, ...rest } = await readSettings(env);
    await writeSettings(env, rest);
    terminal.print(json ? JSON.stringify({ file: settingsPath(env) }) : 'Logged out.');
    return 0;
  },
};
