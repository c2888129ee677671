import type { BackingServices } from '../../scripts/services.ts';
import { until } from '../harness/client.ts';
import { openBrowser, type TestBrowser } from '../harness/open-browser.ts';
import { type Member, type Stack, startStack } from '../harness/start-stack.ts';

export const PASSWORD = 'correct horse battery';

export interface People extends AsyncDisposable {
  readonly stack: Stack;
  readonly url: string;
  /** In a network of its own. */
  openBrowser(): TestBrowser;
  /** Waits until this many mails to an address were sent, and returns their texts. */
  waitForMails(email: string, count: number): Promise<string[]>;
  /** A person who signed up and confirmed the address, signed in. */
  addPerson(): Promise<{ email: string; browser: TestBrowser }>;
}

/** A console with its sign-in, over HTTP and without pages. */
export async function startPeople(services: BackingServices, env: Record<string, string> = {}): Promise<People> {
  const stack = await startStack({ services, apis: 0, workers: 0, env: { SIGN_UP: 'open', ...env } });
  const console_ = await stack.start('console', {
    PUBLIC_URL: 'http://127.0.0.1:1',
    LOG_LEVEL: 'info',
    TRUSTED_PROXIES: '127.0.0.0/8,::1',
  });
  let number = 0;
  const openOwn = () => {
    number += 1;
    return openBrowser(console_.url, { address: `198.51.100.${number}` });
  };
  const waitForMails = (email: string, count: number) =>
    until(`${count} mails to ${email}`, async () => {
      const mails = readMails(console_, email);
      return mails.length >= count && mails;
    });
  return {
    stack,
    url: console_.url,
    openBrowser: openOwn,
    waitForMails,
    async addPerson() {
      const browser = openOwn();
      const email = `person${number}@example.com`;
      await browser.post('/api/auth/sign-up/email', { name: `Person ${number}`, email, password: PASSWORD });
      await browser.follow(readLink((await waitForMails(email, 1))[0]!));
      await browser.post('/api/auth/sign-in/email', { email, password: PASSWORD });
      return { email, browser };
    },
    [Symbol.asyncDispose]: () => stack.stop(),
  };
}

/** The path and query of the link in a mail. */
export function readLink(mail: string): string {
  const link = new URL(mail.match(/https?:[^\s"\\]+/)![0]);
  return `${link.pathname}${link.search}`;
}

/** Without a mail server, mails are in the log. */
function readMails({ logs }: Member, email: string): string[] {
  return logs
    .join('')
    .split('\n')
    .filter((line) => line.includes(`mail to ${email}`));
}
