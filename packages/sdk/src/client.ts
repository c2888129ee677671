import { AtelierError } from './api-error.ts';
import { isBrowser, readEnvironment } from './environment.ts';
import { type StreamMessage, type StreamOptions, streamEvents } from './event-stream.ts';
import { createGenerations } from './generations.ts';
import { createAssets } from './outputs.ts';
import { type PagePromise, paginate } from './paginate.ts';
import type {
  CreateQuoteBody,
  Effect,
  EventPage,
  ListEventsQuery,
  ListModelsQuery,
  Model,
  PublicAccount,
  QuoteResponse,
  WebhookEvent,
} from './schemas.ts';
import { createTransport, pathId, type RequestOptions, type ResponseInfo, type Transport } from './transport.ts';
import { createUploads } from './uploads.ts';

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_RETRIES = 4;

export interface AtelierOptions {
  /** `ATELIER_API_KEY` by default. Models and effects need none. */
  readonly apiKey?: string | undefined;
  /** The address of the service, `ATELIER_BASE_URL` by default. */
  readonly baseUrl?: string | undefined;
  /** For each attempt: 60 seconds by default. */
  readonly timeoutMs?: number | undefined;
  /** After the first attempt: 4 by default. */
  readonly maxRetries?: number | undefined;
  readonly fetch?: typeof globalThis.fetch | undefined;
  /** Called for every response, for logs and rate limits. */
  readonly onResponse?: ((info: ResponseInfo) => void) | undefined;
  /** A key in a browser can be read by everyone who opens the page. */
  readonly dangerouslyAllowBrowser?: boolean | undefined;
}

/** The client of one service. */
export class Atelier {
  readonly baseUrl: string;
  readonly models: ReturnType<typeof createModels>;
  readonly effects: ReturnType<typeof createEffects>;
  readonly quotes: ReturnType<typeof createQuotes>;
  readonly generations: ReturnType<typeof createGenerations>;
  readonly uploads: ReturnType<typeof createUploads>;
  readonly assets: ReturnType<typeof createAssets>;
  readonly account: ReturnType<typeof createAccount>;
  readonly events: ReturnType<typeof createEvents>;

  constructor(options: AtelierOptions = {}) {
    const baseUrl = options.baseUrl ?? readEnvironment('ATELIER_BASE_URL');
    if (baseUrl === undefined) {
      throw new AtelierError('The address of the service is missing. Set ATELIER_BASE_URL or pass baseUrl.');
    }
    const apiKey = options.apiKey ?? readEnvironment('ATELIER_API_KEY');
    if (apiKey !== undefined && isBrowser() && options.dangerouslyAllowBrowser !== true) {
      throw new AtelierError('Do not use an API key in a browser: everyone who opens the page can read it.');
    }
    this.baseUrl = baseUrl.replace(/\/+$/, '');
    const transport = createTransport({
      baseUrl: this.baseUrl,
      apiKey,
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
      onResponse: options.onResponse,
    });
    this.models = createModels(transport);
    this.effects = createEffects(transport);
    this.quotes = createQuotes(transport);
    this.uploads = createUploads(transport);
    this.generations = createGenerations(transport, this.uploads);
    this.assets = createAssets(transport);
    this.account = createAccount(transport);
    this.events = createEvents(transport);
  }
}

function createModels(transport: Transport) {
  return {
    /** The available models, in display order. */
    async list(query: ListModelsQuery = {}, options?: RequestOptions): Promise<Model[]> {
      const call = { method: 'GET', path: '/v1/models', query, options } as const;
      return (await transport.request<{ models: Model[] }>(call)).models;
    },
    get: (id: string, options?: RequestOptions): Promise<Model> =>
      transport.request({ method: 'GET', path: `/v1/models/${pathId(id)}`, options }),
  };
}

function createEffects(transport: Transport) {
  return {
    async list(options?: RequestOptions): Promise<Effect[]> {
      return (await transport.request<{ effects: Effect[] }>({ method: 'GET', path: '/v1/effects', options })).effects;
    },
  };
}

function createQuotes(transport: Transport) {
  return {
    /** The exact price. The token locks it for ten minutes. */
    create: (body: CreateQuoteBody, options?: RequestOptions): Promise<QuoteResponse> =>
      transport.request({ method: 'POST', path: '/v1/quotes', json: body, options }),
  };
}

function createAccount(transport: Transport) {
  return {
    /** Balance, limits, and the key of this client. */
    get: (options?: RequestOptions): Promise<PublicAccount> =>
      transport.request({ method: 'GET', path: '/v1/account', options }),
  };
}

function createEvents(transport: Transport) {
  return {
    /** The events of the last 30 days, oldest first. `for await` ends with the newest. */
    list: (query: ListEventsQuery = {}, options?: RequestOptions): PagePromise<WebhookEvent> =>
      paginate(async (after) => {
        const call = { method: 'GET', path: '/v1/events', query: { ...query, after }, options } as const;
        const page = await transport.request<EventPage>(call);
        return { items: page.items, next: page.hasMore ? page.nextAfter : null, position: page.nextAfter };
      }, query.after),
    /** Events as they happen, and the progress of unfinished generations, until the signal aborts. */
    stream: (options: StreamOptions = {}): AsyncGenerator<StreamMessage> => streamEvents(transport, options),
  };
}
