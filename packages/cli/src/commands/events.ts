import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type EventType, type WebhookEvent, webhooks } from '@atelier/sdk';
import type { Command, Context } from '../command.ts';
import { Interrupted, UsageError } from '../exit-code.ts';
import { needInteger } from '../read-command.ts';
import { findListenSecret } from '../settings.ts';
import { renderTable } from '../terminal.ts';

const EVENT_TYPES = ['generation.succeeded', 'generation.failed', 'generation.canceled'] as const;
/** As long as the service waits for a receiver. */
const FORWARD_TIMEOUT_MS = 10_000;
const DEFAULT_LIMIT = 20;

const FORWARD = { says: 'URL of your receiver', value: 'URL' } as const;

export const listenCommand: Command = {
  summary: 'forward events to a local receiver, signed as webhooks are',
  args: [],
  options: {
    'forward-to': FORWARD,
    events: { says: `only these, separated by commas: ${EVENT_TYPES.join(', ')}`, value: 'TYPES' },
    after: { says: 'start after this position instead of with new events', value: 'POSITION' },
    'print-secret': { says: 'print the signing secret and exit' },
  },
  details:
    'The secret stays the same, so that you configure your receiver once. Ctrl-C stops it; nothing is registered.',
  async run(context) {
    const { terminal, signal, json, env, options, flags } = context;
    const secret = await findListenSecret(env);
    if (flags.has('print-secret')) {
      terminal.print(json ? JSON.stringify({ secret }) : secret);
      return 0;
    }
    const types = options.events?.split(',').map((type) => type.trim());
    const unknown = types?.find((type) => !EVENT_TYPES.includes(type as EventType));
    if (unknown !== undefined) throw new UsageError(`unknown event type ${unknown}`);
    const url = options['forward-to'] === undefined ? null : readUrl(options['forward-to']);
    const client = await context.client();
    let isFirst = true;
    const stream = client.events.stream({
      signal,
      after: options.after,
      onOpen: () => {
        if (!isFirst) return;
        isFirst = false;
        terminal.note(`Listening. Signing secret: ${secret}`);
      },
    });
    try {
      for await (const message of stream) {
        if (!('event' in message) || (types !== undefined && !types.includes(message.type))) continue;
        await handle(context, message.event, { url, secret, after: message.after });
      }
    } catch (error) {
      // Stopping it is how it ends.
      if (!(error instanceof Interrupted)) throw error;
    }
    return 0;
  },
};

async function handle(
  { terminal, json, signal }: Context,
  event: WebhookEvent,
  target: { url: URL | null; secret: string; after: string | null },
): Promise<boolean> {
  const { id, type } = event;
  const answer = target.url === null ? null : await forward(event, { ...target, url: target.url, signal });
  const generationId = event.data.generation.id;
  if (json)
    terminal.print(JSON.stringify({ event, after: target.after, ...(answer === null ? {} : { forward: answer }) }));
  else {
    const outcome = answer === null ? '' : `  -> ${answer.status ?? answer.error} in ${answer.ms} ms`;
    terminal.print(`${event.createdAt}  ${type}  ${generationId}  ${id}${outcome}`);
  }
  return answer === null || (answer.status !== null && answer.status >= 200 && answer.status < 300);
}

interface ForwardAnswer {
  readonly status: number | null;
  readonly error: string | null;
  readonly ms: number;
}

/** Sends the event as the service would, once. */
async function forward(
  event: WebhookEvent,
  { url, secret, signal }: { url: URL; secret: string; signal: AbortSignal },
): Promise<ForwardAnswer> {
  const body = JSON.stringify(event);
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex');
  const startedAt = performance.now();
  const ms = () => Math.round(performance.now() - startedAt);
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(FORWARD_TIMEOUT_MS)]),
      headers: {
        'content-type': 'application/json',
        'service-signature': `t=${t},v1=${v1}`,
        'service-event-id': event.id,
        'service-event-type': event.type,
      },
    });
    await response.body?.cancel();
    return { status: response.status, error: null, ms: ms() };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const { message, cause } = error as Error & { cause?: { message?: string } };
    return { status: null, error: cause?.message || message, ms: ms() };
  }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError('--forward-to must be a URL such as http://localhost:3000/hook');
  }
  return url;
}

export const eventsCommand: Command = {
  summary: 'list events, the oldest first, or `events resend ID` to a receiver',
  args: ['[resend]', '[ID]'],
  options: {
    after: { says: 'start after this position', value: 'POSITION' },
    limit: { says: `how many (default ${DEFAULT_LIMIT})`, value: 'N' },
    'forward-to': FORWARD,
  },
  details:
    '`events resend ID --forward-to URL` sends an event of the last 30 days again, signed with the secret of `listen`.',
  async run(context) {
    const { terminal, signal, json, options, args } = context;
    const [verb, id] = args;
    if (verb !== undefined && verb !== 'resend') throw new UsageError(`unexpected argument: ${verb}`);
    const client = await context.client();
    if (verb === 'resend') {
      if (id === undefined) throw new UsageError('ID is missing');
      const url = readUrl(options['forward-to'] ?? '');
      for await (const event of client.events.list({ limit: 100 }, { signal })) {
        if (event.id !== id && event.data.generation.id !== id) continue;
        const secret = await findListenSecret(context.env);
        return (await handle(context, event, { url, secret, after: null })) ? 0 : 1;
      }
      throw new UsageError(`there is no event ${id} in the last 30 days`);
    }
    const limit = needInteger(context, 'limit') ?? DEFAULT_LIMIT;
    const query = { limit: Math.min(limit, 100), ...(options.after === undefined ? {} : { after: options.after }) };
    const found: WebhookEvent[] = [];
    for await (const event of client.events.list(query, { signal })) if (found.push(event) >= limit) break;
    if (json) terminal.print(JSON.stringify(found));
    else {
      const rows = found.map((event) => [event.createdAt, event.type, event.data.generation.id, event.id]);
      for (const line of renderTable(rows)) terminal.print(line);
    }
    return 0;
  },
};

export const verifyWebhookCommand: Command = {
  summary: 'check the signature of a webhook that you recorded',
  args: ['BODY'],
  options: {
    header: { says: 'value of the signature header: t=...,v1=...', value: 'VALUE' },
    secret: { says: 'signing secret (ATELIER_WEBHOOK_SECRET)', value: 'SECRET' },
    at: { says: 'when it arrived, in Unix seconds (default: now)', value: 'SECONDS' },
  },
  details: 'BODY is a file with the raw body; - reads it from standard input.',
  async run(context) {
    const { terminal, json, options, args, env } = context;
    const { header } = options;
    const secret = options.secret ?? env.ATELIER_WEBHOOK_SECRET;
    if (header === undefined || !secret) throw new UsageError('--header and --secret are required');
    const nowSeconds = needInteger(context, 'at');
    const body = readBody(args[0]!);
    await webhooks.verify(body, header, { secret, ...(nowSeconds === undefined ? {} : { nowSeconds }) });
    terminal.print(json ? JSON.stringify({ genuine: true }) : 'The signature is genuine.');
    return 0;
  },
};

function readBody(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path);
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`);
  }
}
