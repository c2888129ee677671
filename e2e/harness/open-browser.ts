import { CONSOLE_HEADER } from '@atelier/contract/console';
import { type Answer, callRaw } from './client.ts';

/** A browser on a page of the console, as far as requests are concerned: it keeps cookies. */
export interface TestBrowser {
  readonly cookies: Map<string, string>;
  get(path: string): Promise<Answer>;
  /** Opens a link from a mail: another site leads here. */
  follow(path: string): Promise<Answer>;
  post(path: string, json?: unknown): Promise<Answer>;
  patch(path: string, json: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
}

/** `address` is what a trusted proxy would say about the client. */
export function openBrowser(url: string, { address }: { address?: string } = {}): TestBrowser {
  const cookies = new Map<string, string>();
  const send = async (operation: string, headers: Record<string, string>, json?: unknown) => {
    const answer = await callRaw(url, operation, {
      ...(json === undefined ? {} : { json }),
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(address === undefined ? {} : { 'x-forwarded-for': address }),
        ...headers,
      },
    });
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '' || /max-age=0/i.test(line)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const fromPage = { origin: url, 'sec-fetch-site': 'same-origin', [CONSOLE_HEADER.name]: CONSOLE_HEADER.value };
  return {
    cookies,
    get: (path) => send(`GET ${path}`, {}),
    follow: (path) => send(`GET ${path}`, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }),
    post: (path, json = {}) => send(`POST ${path}`, fromPage, json),
    patch: (path, json) => send(`PATCH ${path}`, fromPage, json),
    delete: (path) => send(`DELETE ${path}`, { ...fromPage, 'content-type': 'application/json' }),
  };
}
