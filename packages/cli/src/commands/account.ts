import type { Command } from '../command.ts';
import { renderTable } from '../terminal.ts';
import { openFile } from './price.ts';

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
      const most = key.requestCapCoins ?? null;
      if (most !== null) rows.push(['per request', `at most ${most} coins`]);
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
