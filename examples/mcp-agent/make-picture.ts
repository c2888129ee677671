import { writeFile } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const BUDGET_COINS = 20;
const [prompt = 'a lake at sunset', file = 'picture.png'] = process.argv.slice(2);
const { ATELIER_BASE_URL: baseUrl = 'http://localhost:8080', ATELIER_API_KEY: key } = process.env;

const agent = new Client({ name: 'picture-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const headers = { authorization: `Bearer ${key}`, 'x-daily-max-coins': String(BUDGET_COINS) };
await agent.connect(new StreamableHTTPClientTransport(new URL('/mcp', baseUrl), { requestInit: { headers } }));

try {
  const { tools } = await agent.listTools();
  console.log(`tools: ${tools.map(({ name }) => name).join(', ')}`);

  const request = { modelId: 'canvas', params: { prompt } };
  const { structured: quote } = await use<{ coins: number; quoteToken: string }>('quote', request);
  console.log(`${quote.coins} coins`);

  // If the response is lost, send the same call again: the quote pays once.
  const { structured: started } = await use<{ id: string }>('generate', { ...request, quoteToken: quote.quoteToken });

  let status = 'queued';
  while (status === 'queued' || status === 'processing') {
    const { structured, image } = await use<{ status: string }>('get_generation', { id: started.id });
    status = structured.status;
    if (image !== undefined) await writeFile(file, Buffer.from(image, 'base64'));
  }
  console.log(`${status}: ${file}`);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  await agent.close();
}

/** Calls a tool. A refusal is a result as well: its text is for the agent and says what to do. */
async function use<T>(name: string, input: Record<string, unknown>): Promise<{ structured: T; image?: string }> {
  const { content, structuredContent, isError } = await agent.callTool(
    { name, arguments: input },
    { onprogress: ({ message }) => console.log(message) },
  );
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  if (isError === true) throw new Error(texts.join('\n'));
  const image = content.find((part) => part.type === 'image');
  return { structured: structuredContent as T, ...(image === undefined ? {} : { image: image.data }) };
}
