import type { CodeSample } from '../../parts/code.tsx';

/** The model of the first request: it runs on every installation without weights, within seconds. */
export const FIRST = {
  modelId: 'landscape-painter',
  params: { prompt: 'mountains and a lake at sunset' },
  maxCoins: 3,
};

export interface GenerationRequest {
  readonly modelId: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly maxCoins: number;
  readonly effectId?: string;
  readonly consent?: true;
}

const indent = (text: string, by: string): string => text.replaceAll('\n', `\n${by}`);
/** Inside single quotes of a shell. */
const quoteShell = (text: string): string => text.replaceAll("'", `'\\''`);

/** JSON as Python writes it. */
function toPython(value: unknown): string {
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(toPython).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${toPython(each)}`);
  return `{${entries.join(', ')}}`;
}

/** A request to make a generation in three languages. The key is put into the environment if it is given. */
export function createRequest(apiUrl: string, body: GenerationRequest, key: string | null = null): CodeSample[] {
  const json = JSON.stringify(body, null, 2);
  const set = key === null ? '' : `export ATELIER_KEY=${key}\n`;
  return [
    {
      label: 'cURL',
      language: 'shell',
      code: `${set}curl -X POST ${apiUrl}/v1/generations \\
  -H "Authorization: Bearer $ATELIER_KEY" \\
  -H "Idempotency-Key: $(openssl rand -hex 16)" \\
  -H "Content-Type: application/json" \\
  -d '${quoteShell(indent(json, '  '))}'`,
    },
    {
      label: 'TypeScript',
      language: 'typescript',
      code: `const response = await fetch('${apiUrl}/v1/generations', {
  method: 'POST',
  headers: {
    Authorization: \`Bearer \${process.env.ATELIER_KEY}\`,
    'Idempotency-Key': crypto.randomUUID(),
    'Content-Type': 'application/json',
  },
  body: JSON.stringify(${indent(json, '  ')}),
});
if (!response.ok) throw new Error(await response.text());
const generation = await response.json();`,
    },
    {
      label: 'Python',
      language: 'python',
      code: `import os, uuid, requests

response = requests.post(
    "${apiUrl}/v1/generations",
    headers={
        "Authorization": f"Bearer {os.environ['ATELIER_KEY']}",
        "Idempotency-Key": str(uuid.uuid4()),
    },
    json=${toPython(body)},
    timeout=30,
)
response.raise_for_status()
generation = response.json()`,
    },
  ];
}

export const firstRequest = ({ apiUrl, key }: { apiUrl: string; key: string | null }): CodeSample[] =>
  createRequest(apiUrl, FIRST, key);

/** How to wait for a generation without a webhook. */
export function pollSamples(apiUrl: string): CodeSample[] {
  return [
    {
      label: 'cURL',
      language: 'shell',
      code: `curl ${apiUrl}/v1/generations/$GENERATION_ID \\
  -H "Authorization: Bearer $ATELIER_KEY"`,
    },
    {
      label: 'TypeScript',
      language: 'typescript',
      code: `let result = generation;
while (result.status === 'queued' || result.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 1000));
  const response = await fetch(\`${apiUrl}/v1/generations/\${generation.id}\`, {
    headers: { Authorization: \`Bearer \${process.env.ATELIER_KEY}\` },
  });
  result = await response.json();
}
console.log(result.outputs[0]?.url ?? result.error);`,
    },
    {
      label: 'Python',
      language: 'python',
      code: `import time

result = generation
while result["status"] in ("queued", "processing"):
    time.sleep(1)
    result = requests.get(
        f"${apiUrl}/v1/generations/{generation['id']}",
        headers={"Authorization": f"Bearer {os.environ['ATELIER_KEY']}"},
        timeout=30,
    ).json()
print(result["outputs"][0]["url"] if result["outputs"] else result["error"])`,
    },
  ];
}

/** How a receiver checks the signature of a delivery. */
export const verifySamples: readonly CodeSample[] = [
  {
    label: 'TypeScript',
    language: 'typescript',
    code: `import { createHmac, timingSafeEqual } from 'node:crypto';

export function isGenuine(rawBody: Buffer, header: string, secret: string, now = Date.now() / 1000): boolean {
  const parts = header.split(',').map((part) => part.trim().split('='));
  const t = parts.find(([name]) => name === 't')?.[1] ?? '';
  if (!/^\\d{1,12}$/.test(t) || Math.abs(now - Number(t)) > 300) return false;
  const expected = createHmac('sha256', secret).update(\`\${t}.\`).update(rawBody).digest();
  return parts.some(
    ([name, value]) =>
      name === 'v1' &&
      /^[0-9a-f]{64}$/.test(value ?? '') &&
      timingSafeEqual(Buffer.from(value as string, 'hex'), expected),
  );
}`,
  },
  {
    label: 'Python',
    language: 'python',
    code: `import hashlib, hmac, re, time

def is_genuine(raw_body: bytes, header: str, secret: str, now: float | None = None) -> bool:
    parts = [part.strip().partition("=") for part in header.split(",")]
    t = next((value for name, _, value in parts if name == "t"), "")
    if not re.fullmatch(r"[0-9]{1,12}", t):
        return False
    if abs((time.time() if now is None else now) - int(t)) > 300:
        return False
    expected = hmac.new(secret.encode(), t.encode() + b"." + raw_body, hashlib.sha256).hexdigest()
    genuine = False
    for name, _, value in parts:
        if name == "v1" and re.fullmatch(r"[0-9a-f]{64}", value):
            genuine |= hmac.compare_digest(value, expected)
    return genuine`,
  },
];
