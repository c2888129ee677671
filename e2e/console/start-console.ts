import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifySignature } from '@atelier/server/domain/webhooks/signatures/verify-signature.ts';
import { type Browser, chromium } from 'playwright-core';
import { buildConsole } from '../../packages/console/build-console.ts';
import type { BackingServices } from '../../scripts/services.ts';
import { until } from '../harness/client.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';

export interface RunningConsole extends AsyncDisposable {
  readonly stack: Stack;
  readonly url: string;
  readonly browser: Browser;
  /** The link in the newest mail to this address: the mails are in the log. */
  readMailLink(email: string): Promise<string>;
}

/** The service with its console, built as for release, and a browser. */
export async function startConsole(
  services: BackingServices,
  env: Record<string, string> = {},
): Promise<RunningConsole> {
  await using stack = new AsyncDisposableStack();
  const built = stack.use(await buildConsole());
  const running = await startStack({ services, cdns: 1, env: { SIGN_UP: 'open', ACCOUNT_TEST_COINS: '1000', ...env } });
  stack.defer(() => running.stop());
  const member = await running.start('console', {
    PUBLIC_URL: running.api().url,
    CONSOLE_DIR: built.dir,
    LOG_LEVEL: 'info',
  });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  stack.defer(() => browser.close());
  const open = stack.move();
  return {
    stack: running,
    url: member.url,
    browser,
    readMailLink: (email) => readMailLink(member, email),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  };
}

async function readMailLink({ logs, url }: Member, email: string): Promise<string> {
  const find = () => {
    const mail = logs
      .join('')
      .split('\n')
      .findLast((line) => line.includes(`mail to ${email}`));
    return mail?.match(new RegExp(`${url}/[^\\s"\\\\]+`))?.[0];
  };
  await until('a mail with a link', async () => find() !== undefined);
  return find()!;
}

export interface Received {
  readonly header: string;
  readonly body: string;
  isSignedWith(secret: string): boolean;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  readonly received: readonly Received[];
}

/** A customer's server that accepts every event. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString();
    const header = String(request.headers['service-signature']);
    received.push({
      header,
      body,
      isSignedWith: (secret) => verifySignature({ secret, header, body, nowSeconds: Date.now() / 1000 }).ok,
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"received":true}');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
