import { createOpenAiProvider } from '../openai/create-openai-provider.ts';
import { startOpenAiServer } from './openai-server.ts';
import { oneBackend, SECRET } from './remote-job.ts';

const closing: (() => Promise<void>)[] = [];

/** A server of one dialect, the backend that names it, and the provider in front. Closed by `closeOpenAiBackends`. */
export async function startOpenAiBackend(
  dialect: Parameters<typeof startOpenAiServer>[0]['dialect'],
  record: Record<string, unknown> = {},
) {
  const server = await startOpenAiServer({ dialect, key: SECRET });
  const backends = oneBackend({ provider: 'openai', dialect, url: `${server.url}/v1`, ...record });
  closing.push(
    () => backends.close(),
    () => server.close(),
  );
  return { server, backends, provider: createOpenAiProvider({ backends }) };
}

export async function closeOpenAiBackends(): Promise<void> {
  for (const close of closing.splice(0)) await close();
}
