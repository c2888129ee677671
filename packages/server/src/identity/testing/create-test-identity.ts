import { randomBytes } from 'node:crypto';
import { createKeyRing } from '../../platform/crypto.ts';
import type { Db } from '../../platform/db.ts';
import { createLog } from '../../platform/log.ts';
import type { Mail } from '../../platform/mail.ts';
import { createIdentity, type NewIdentity } from '../create-identity.ts';

export const CONSOLE_URL = 'https://console.example.com';
export const PASSWORD = 'correct horse battery';
/** Tests sign in hundreds of times; the cost of the service takes half a second each. */
const PASSWORD_COST_BITS = 10;

/** A browser, as far as sign-in is concerned: it keeps cookies and sends the headers of a page of the console. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<Answer>;
  post(path: string, body?: unknown): Promise<Answer>;
  headers(): Headers;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  readonly body: any;
}

export async function createTestIdentity(db: Db, given: Partial<NewIdentity> = {}) {
  const mails: Mail[] = [];
  const consoleUrl = given.consoleUrl ?? CONSOLE_URL;
  const services = { db, keys: createKeyRing([randomBytes(32)]), log: createLog({ level: 'silent' }) };
  const identity = await createIdentity({
    services,
    authDb: db,
    accountDefaults: { coins: 0, testCoins: 100, runLimit: 2, raisedLimit: null, rateLimit: 300, keyRateLimit: 120 },
    listener: given.listener ?? 'console',
    consoleUrl,
    appName: 'Atelier',
    passwordCostBits: PASSWORD_COST_BITS,
    signUp: 'open',
    oidc: null,
    mail: { sendSoon: (mail) => void mails.push(mail) },
    ...given,
  });

  const openBrowser = (address = '192.0.2.1'): TestBrowser => {
    const cookies = new Map<string, string>();
    const headers = () =>
      new Headers({
        origin: consoleUrl,
        'sec-fetch-site': 'same-origin',
        'user-agent': 'test',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      });
    const send = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const sent = headers();
      if (method === 'POST') sent.set('content-type', 'application/json');
      const request = new Request(`${consoleUrl}/api/auth${path}`, {
        method,
        headers: sent,
        ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
      });
      const response = await identity.handle(request, { address });
      for (const line of response.headers.getSetCookie()) keep(cookies, line);
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) };
    };
    return { cookies, headers, get: (path) => send('GET', path), post: (path, body) => send('POST', path, body) };
  };

  /** The link in the last mail to an address. Mails are sent in the background. */
  const waitForLink = async (email: string): Promise<URL> => {
    for (let waited = 0; waited < 5_000; waited += 20) {
      const mail = mails.findLast(({ to }) => to === email);
      const link = mail?.text.match(/https?:\S+/)?.[0];
      if (link !== undefined) return new URL(link);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`no mail to ${email}`);
  };

  let number = 0;
  /** A person who signed up and confirmed the address, in a browser of their own, not signed in. */
  const addPerson = async () => {
    number += 1;
    const email = `person${number}@example.com`;
    const browser = openBrowser(`198.51.100.${number}`);
    await browser.post('/sign-up/email', { name: `Person ${number}`, email, password: PASSWORD });
    const link = await waitForLink(email);
    await browser.get(`${link.pathname.slice('/api/auth'.length)}${link.search}`);
    return { email, browser, signIn: () => browser.post('/sign-in/email', { email, password: PASSWORD }) };
  };

  return { identity, services, mails, openBrowser, waitForLink, addPerson };
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
  else cookies.set(name, value);
}
