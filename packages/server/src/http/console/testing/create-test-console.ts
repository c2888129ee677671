import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONSOLE_HEADER, type Role } from '@atelier/contract/console';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { createAuthenticateKey } from '../../../domain/accounts/authenticate-key.ts';
import { createAccountPair } from '../../../domain/accounts/create-account-pair.ts';
import { createPathServices } from '../../../domain/generations/testing/create-path-services.ts';
import { TEST_LIMITS } from '../../../domain/generations/testing/test-limits.ts';
import { verifyBooksWithin } from '../../../domain/ledger/verify-books.ts';
import { createOpenWorkReader } from '../../../domain/operator/read-open-work.ts';
import type { Services } from '../../../domain/services.ts';
import { createStripePayments } from '../../../payments/stripe-payments.ts';
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET, startStripe } from '../../../payments/testing/start-stripe.ts';
import { systemClock } from '../../../platform/clock.ts';
import { type Db, withTx } from '../../../platform/db.ts';
import { newId } from '../../../platform/ids.ts';
import { createLog } from '../../../platform/log.ts';
import type { Mail } from '../../../platform/mail.ts';
import { createSafeFetch } from '../../../platform/safe-fetch.ts';
import { createTelemetry } from '../../../platform/telemetry.ts';
import { NO_TRACING } from '../../../platform/tracing.ts';
import { createApp } from '../../app.ts';
import { createLocalLimiter } from '../../auth/rate-limit.ts';
import { createDeskApp } from '../../desk/desk-app.ts';
import { createConsoleApp } from '../console-app.ts';
import type { Identity, SignedIn } from '../identity.ts';

export const ORIGIN = 'https://console.example.com';
export const CDN = 'https://files.example.com';
const MINUTE_MS = 60_000;
const BOOKS_LIMIT_MS = 30_000;
export const MCP_DAILY_BUDGET_COINS = 50;
const DEFAULTS = {
  coins: 100,
  testCoins: 100,
  runLimit: 2,
  raisedLimit: null,
  rateLimit: 1_000_000,
  keyRateLimit: 120,
};

const PACKAGES = [
  { id: '1000-1000', amount: 1_000, coins: 1_000 },
  { id: '333-100', amount: 333, coins: 100 },
];

export interface TestPerson {
  readonly personId: string;
  readonly cookie: string;
  /** Changes when the person signed in. */
  signIn(minutesAgo: number): void;
  signOut(): void;
}

export interface CallOptions {
  readonly cookie?: string;
  readonly json?: unknown;
  readonly body?: string | Buffer;
  /** Null leaves a header out that a page of the console would send. */
  readonly headers?: Readonly<Record<string, string | null>>;
}

/** The console's listener on a test database, with sessions in a map instead of a sign-in. */
export async function createTestConsole(
  { db, owner, desk }: { db: Db; owner: Db; desk: Db },
  { openaiWaitSeconds = 60 }: { openaiWaitSeconds?: number } = {},
) {
  const dir = await mkdtemp(join(tmpdir(), 'console-'));
  const sessions = new Map<string, SignedIn>();
  const identity: Identity = {
    async handle(request, client) {
      const body = request.method === 'POST' ? await request.text() : null;
      const headers = new Headers({ 'content-type': 'application/json' });
      headers.append('set-cookie', 'a=1; HttpOnly');
      headers.append('set-cookie', 'b=2; HttpOnly');
      return new Response(JSON.stringify({ url: request.url, body, address: client.address }), {
        status: 202,
        headers,
      });
    },
    readSession: async (headers) => sessions.get(headers.get('cookie') ?? '') ?? null,
  };
  const mails: Mail[] = [];
  const urlPolicy = { allowHttp: true, allowCidrs: ['127.0.0.0/8'], ownHosts: [] };
  const safeFetch = createSafeFetch(urlPolicy);
  const path = createPathServices(db);
  const log = createLog({ level: 'silent' });
  const stripe = await startStripe();
  const paymentRules = { cell: 'c1', locksDisputes: true };
  const payments = createStripePayments({
    apiUrl: stripe.url,
    secretKey: STRIPE_KEY,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    offer: { currency: 'usd', packages: PACKAGES, contact: null },
    rules: paymentRules,
    clock: systemClock,
    log,
  });
  const services = {
    ...path,
    log,
    payments,
    telemetry: createTelemetry(),
    tracing: NO_TRACING,
    authenticateKey: createAuthenticateKey({ db }),
    limits: TEST_LIMITS,
    spoolDir: dir,
    cdnUrl: CDN,
    cell: 'c1',
    consoleUrl: ORIGIN,
    signInOptions: { oidc: false, signUp: 'invited' } as const,
    mail: { sendSoon: (mail: Mail) => void mails.push(mail) },
    keyRateLimit: DEFAULTS.keyRateLimit,
    urlPolicy,
    safeFetch,
    webhookHeaderPrefix: 'Service',
  };
  const limiter = createLocalLimiter();
  const listener = {
    limiter: async (caller: Parameters<typeof limiter>[0]) => limiter(caller),
    checkResponses: true,
    problemBaseUrl: 'https://api.example.com/problems',
    trustedProxies: [],
    accessLogShare: 0,
    dependencies: () => ({ database: true }),
  };
  // The rest of the services is for files, which these tests do not read.
  const all = services as unknown as Services & typeof services;
  const pagesDir = join(dir, 'pages');
  const app = await createConsoleApp({
    ...listener,
    services: all,
    identity,
    origin: ORIGIN,
    mediaOrigins: [CDN],
    pagesDir,
    thumbnailDir: dir,
  });
  const deskApp = await createDeskApp({
    ...listener,
    services: {
      ...all,
      db: desk,
      readOpenWork: createOpenWorkReader({ db: desk }),
      checkBooks: async () => ({
        checkedAt: new Date(),
        checks: await verifyBooksWithin({ db: desk }, { limitMs: BOOKS_LIMIT_MS, retention: TEST_LIMITS }),
      }),
    },
    identity,
    origin: ORIGIN,
    mediaOrigins: [],
    pagesDir: join(dir, 'desk'),
  });
  const publicApp = await createApp({
    ...listener,
    services: all,
    unknownKeyLimit: 1_000,
    accessUrl: ORIGIN,
    mcpDailyBudgetCoins: MCP_DAILY_BUDGET_COINS,
    openaiWaitSeconds,
    thumbnailDir: dir,
    guideDir: join(dir, 'guide'),
    payments,
  });

  async function addPerson(): Promise<TestPerson> {
    const personId = newId();
    const cookie = `sid=${randomBytes(16).toString('hex')}`;
    const email = `${personId}@example.com`;
    await owner.pool.query('INSERT INTO person (id, name, email, email_verified) VALUES ($1, $2, $3, true)', [
      personId,
      'Ada',
      email,
    ]);
    const signIn = (minutesAgo: number) => {
      const signedInAt = new Date(Date.now() - minutesAgo * MINUTE_MS);
      sessions.set(cookie, { personId, sessionId: cookie, email, name: 'Ada', signedInAt });
    };
    signIn(0);
    return { personId, cookie, signIn, signOut: () => void sessions.delete(cookie) };
  }

  return {
    app,
    publicApp,
    deskApp,
    services,
    /** Where people of these tests pay. */
    stripe,
    paymentRules,
    sessions,
    /** What was mailed. */
    mails,
    pagesDir,
    thumbnailDir: dir,
    addPerson,
    async addOperator(): Promise<TestPerson> {
      const person = await addPerson();
      await owner.pool.query('INSERT INTO desk_operator (person_id) VALUES ($1)', [person.personId]);
      return person;
    },
    /** A pair of accounts without members. */
    addPair: () => withTx(db, (tx) => createAccountPair(tx, { name: 'Ada', actor: 'test', defaults: DEFAULTS })),
    async addMember(pairId: string, role: Role): Promise<TestPerson> {
      const person = await addPerson();
      await owner.pool.query('INSERT INTO membership (person_id, pair_id, role) VALUES ($1, $2, $3)', [
        person.personId,
        pairId,
        role,
      ]);
      return person;
    },
    /** Sends a request as a page of the console does: 'METHOD /path'. */
    call: (operation: string, options: CallOptions = {}) => send(app, operation, options),
    /** The same at the operator's desk. */
    callDesk: (operation: string, options: CallOptions = {}) => send(deskApp, operation, options),
    async close() {
      await app.close();
      await deskApp.close();
      await publicApp.close();
      safeFetch.close();
      await stripe[Symbol.asyncDispose]();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

export type TestConsole = Awaited<ReturnType<typeof createTestConsole>>;

export function send(
  app: FastifyInstance,
  operation: string,
  { cookie, json, body, headers = {} }: CallOptions = {},
): Promise<LightMyRequestResponse> {
  const [method, url] = operation.split(' ') as ['GET', string];
  const sent: Record<string, string | null> = {
    ...(cookie === undefined ? {} : { cookie }),
    ...(method === ('GET' as string)
      ? {}
      : {
          'sec-fetch-site': 'same-origin',
          origin: ORIGIN,
          'content-type': 'application/json',
          [CONSOLE_HEADER.name]: CONSOLE_HEADER.value,
        }),
    ...headers,
  };
  const kept = Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== null);
  return app.inject({
    method,
    url,
    headers: Object.fromEntries(kept),
    ...(json === undefined && body === undefined ? {} : { payload: body ?? JSON.stringify(json) }),
  });
}
