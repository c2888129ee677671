import type { Generation } from '@atelier/sdk';
import type { Command } from '../command.ts';
import { IMAGE_PROTOCOLS } from '../pictures/show-picture.ts';
import { needInteger, needOneOf } from '../read-command.ts';
import { renderTable } from '../terminal.ts';
import { finish, SAVE_OPTIONS, waitWithBar } from './generate.ts';

const STATUSES = ['queued', 'processing', 'succeeded', 'failed', 'canceled'] as const;
const DEFAULT_LIMIT = 20;

export const getCommand: Command = {
  summary: 'show a generation, wait for it, save its outputs',
  args: ['ID'],
  options: {
    wait: { says: 'wait for the end', short: 'w' },
    timeout: { says: 'how long to wait (default 600)', value: 'SECONDS' },
    ...SAVE_OPTIONS,
  },
  async run(context) {
    const { terminal, signal, json, args, options, flags } = context;
    const timeoutSeconds = needInteger(context, 'timeout');
    needOneOf(context, 'images', IMAGE_PROTOCOLS);
    const client = await context.client();
    if (flags.has('wait')) return finish(context, await waitWithBar(context, client, args[0]!, timeoutSeconds));
    const generation = await client.generations.get(args[0]!, { signal });
    if (options.output !== undefined || (generation.status === 'succeeded' && !json)) {
      return finish(context, generation);
    }
    if (json) terminal.print(JSON.stringify(generation));
    else for (const line of renderTable(facts(generation))) terminal.print(line);
    return 0;
  },
};

function facts(generation: Generation): [string, unknown][] {
  const { status, modelId, progress, queuePosition, coinsQuoted, coinsCharged, error, createdAt } = generation;
  return (
    [
      ['id', generation.id],
      ['status', status],
      ['model', modelId],
      ['progress', progress === null ? null : `${Math.round(progress * 100)} %`],
      ['position', queuePosition],
      ['price', `${coinsQuoted} coins`],
      ['charged', coinsCharged === null ? null : `${coinsCharged} coins`],
      ['error', error === null ? null : `${error.code}: ${error.message ?? ''}`],
      ['created', createdAt],
    ] as [string, unknown][]
  ).filter(([, value]) => value !== null && value !== undefined);
}

export const listCommand: Command = {
  summary: 'list generations, the newest first',
  args: [],
  options: {
    status: { says: 'only this status', value: 'STATUS', values: STATUSES },
    model: { says: 'only this model', value: 'ID' },
    active: { says: 'only queued and processing' },
    limit: { says: `how many (default ${DEFAULT_LIMIT})`, value: 'N' },
  },
  async run(context) {
    const { terminal, signal, json, options, flags } = context;
    const status = needOneOf(context, 'status', STATUSES);
    const limit = needInteger(context, 'limit') ?? DEFAULT_LIMIT;
    const client = await context.client();
    const query = {
      limit: Math.min(limit, 100),
      ...(status === undefined ? {} : { status }),
      ...(options.model === undefined ? {} : { modelId: options.model }),
      ...(flags.has('active') ? { active: true } : {}),
    };
    const found: Generation[] = [];
    for await (const generation of client.generations.list(query, { signal })) {
      if (found.push(generation) >= limit) break;
    }
    if (json) terminal.print(JSON.stringify(found));
    else {
      const rows = found.map((each) => [
        each.id,
        each.status,
        each.modelId,
        `${each.coinsCharged ?? each.coinsQuoted} coins`,
        each.createdAt,
      ]);
      for (const line of renderTable(rows)) terminal.print(line);
    }
    return 0;
  },
};

export const cancelCommand: Command = {
  summary: 'cancel a queued generation; its coins are released',
  args: ['ID'],
  options: {},
  async run({ client, terminal, json, args, signal }) {
    const generation = await (await client()).generations.cancel(args[0]!, { signal });
    terminal.print(json ? JSON.stringify(generation) : generation.status);
    return 0;
  },
};
