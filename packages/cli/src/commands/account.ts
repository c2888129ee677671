import { Atelier } from '@atelier/sdk';
import type { Command } from '../command.ts';
import { UsageError } from '../exit-code.ts';
import { readSettings, settingsPath, writeSettings } from '../settings.ts';
import { renderTable } from '../terminal.ts';
import { openFile } from './price.ts';

export const loginCommand: Command = {
  summary: 'store the address of the service and an API key',
  args: [],
  options: { 'api-key': { says: 'the key; - reads it from standard input', value: 'KEY' } },
  details: 'The key is stored in a file that only you can read. ATELIER_API_KEY takes precedence.',
  async run({ env, options, terminal, json, signal }) {
    const stored = await readSettings(env);
    const baseUrl = options['base-url'] ?? env.ATELIER_BASE_URL ?? stored.baseUrl;
    if (baseUrl === undefined) throw new UsageError('pass the address of the service as --base-url');
    let apiKey = options['api-key'];
    if (apiKey === undefined) throw new UsageError('pass an API key as --api-key; create one in the console');
    if (apiKey === '-') {
      const chunks: Buffer[] = [];
      for await (const chunk of terminal.streams.stdin) chunks.push(chunk as Buffer);
      apiKey = Buffer.concat(chunks).toString().trim();
    }
    const account = await new Atelier({ baseUrl, apiKey }).account.get({ signal });
    const path = await writeSettings(env, { ...stored, baseUrl, apiKey });
    if (json) terminal.print(JSON.stringify({ baseUrl, file: path, key: account.key?.name ?? null }));
    else terminal.print(`Logged in with the key ${account.key?.name ?? ''}. Stored in ${path}`);
    return 0;
  },
};

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

export const accountCommand: Command = {
  summary: 'show the balance, the limits and the key',
  args: [],
  options: {},
  async run({ client, terminal, json, signal }) {
    const { balance, concurrency, rateLimits, key } = await (await client()).account.get({ signal });
    if (json) {
      terminal.print(JSON.stringify({ balance, concurrency, rateLimits, key }));
      return 0;
    }
    const cap = key?.monthlySpendCapCoins ?? null;
    const rows: [string, string][] = [
      ['available', `${balance.available} coins`],
      ['held', `${balance.held} coins`],
      ['running', `${concurrency.running} of ${concurrency.raisedLimit ?? concurrency.limit}`],
      ['queued', String(concurrency.queued)],
      ['rate limit', `${rateLimits.key.limit} requests in ${rateLimits.key.windowSeconds} s`],
    ];
    if (key !== null) {
      rows.push(['key', `${key.name} (${key.scopes.join(', ')})`]);
      rows.push(['this month', `${key.spentThisMonthCoins} coins${cap === null ? '' : ` of ${cap}`}`]);
    }
    for (const line of renderTable(rows)) terminal.print(line);
    return 0;
  },
};

export const uploadCommand: Command = {
  summary: 'upload a file and print its id',
  args: ['FILE'],
  options: { resume: { says: 'id of an upload that was interrupted', value: 'ID' } },
  async run({ client, terminal, json, args, options, signal }) {
    const path = args[0]!;
    const file = await openFile(path);
    let started: string | undefined;
    try {
      const asset = await (await client()).uploads.create(file, {
        signal,
        name: path.replace(/^.*\//, ''),
        resume: options.resume,
        onStart: (id) => {
          started = id;
        },
        onProgress: ({ sentBytes, totalBytes }) => terminal.status(`uploading ${path}`, sentBytes / totalBytes),
      });
      terminal.endStatus();
      terminal.print(json ? JSON.stringify(asset) : asset.id);
      return 0;
    } catch (error) {
      if (started !== undefined) terminal.note(`Continue with: atelier upload ${path} --resume ${started}`);
      throw error;
    }
  },
};
