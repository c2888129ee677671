import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { SECRET } from '../testing/remote-job.ts';
import { checkOutputUrl } from './outputs/save-output.ts';
import { BackendsError, readBackends } from './read-backends.ts';

const good = `
backends:
  - name: images
    provider: openai
    dialect: vllm-omni
    url: http://10.0.0.5:8091/v1/
    apiKey: IMAGES_API_KEY
    timeouts: { makeMs: 120000 }
    maxOutputBytes: 50000000
    concurrency: 2
    retries: 1
  - name: comfyui
    provider: comfyui
    url: http://10.0.0.6:8188
`;

test('reads a backends file and fills in defaults', () => {
  const backends = readBackends(good, (name) => (name === 'IMAGES_API_KEY' ? SECRET : undefined));
  const images = backends.find({ name: 'images', providers: ['openai'] });
  expect(images).toMatchObject({
    dialect: 'vllm-omni',
    url: 'http://10.0.0.5:8091/v1',
    retries: 1,
    maxOutputBytes: 50_000_000,
  });
  expect(images?.timeouts).toEqual({
    connectMs: 5_000,
    callMs: 15_000,
    makeMs: 120_000,
    downloadMs: 120_000,
    busyMs: 60_000,
    awayMs: 120_000,
  });
  expect(images?.authorization()).toEqual({ authorization: `Bearer ${SECRET}` });
  expect(backends.find({ name: 'images', providers: ['comfyui'] })).toBeUndefined();
  expect(backends.find({ name: 'comfyui', providers: ['comfyui'] })?.authorization()).toEqual({});
  expect(readBackends('', () => undefined).all).toEqual([]);
});

test('a printed backend does not contain the key', () => {
  const backends = readBackends(good, () => SECRET);
  expect(inspect(backends, { depth: 10 })).not.toContain(SECRET);
  expect(JSON.stringify(backends.all.map(({ agent: _agent, ...rest }) => rest))).not.toContain(SECRET);
  expect(backends.all[0]?.conceal(`your key ${SECRET} is wrong`)).toBe('your key *** is wrong');
});

const record = 'name: a, provider: openai, url: "http://h/v1"';
test.each([
  ['backends: [{ name: a', 'cannot be read'],
  ['backend: []', 'the file: lacks backends'],
  [`backends: [{ ${record}, apiKey: sk-inline-key-1234 }]`, 'backends.0.apiKey: must be the name of a secret setting'],
  [`backends: [{ ${record}, apiKey: NOT_SET }]`, 'backends.0 (a): the secret NOT_SET is not set'],
  [`backends: [{ ${record} }, { ${record} }]`, 'backends.1 (a): the name is used twice'],
  [
    'backends: [{ name: a, provider: triton, url: "http://h" }]',
    'backends.0.provider: must be one of openai, comfyui, cog, replicate, fal',
  ],
  [
    'backends: [{ name: a, provider: cog, url: "http://h", dialect: sglang }]',
    'dialect is a setting of openai backends',
  ],
  [
    'backends: [{ name: a, provider: comfyui, url: "http://h", callbacks: true }]',
    'callbacks is a setting of cog, replicate, fal backends',
  ],
  ['backends: [{ name: a, provider: cog, url: "http://u:p@h" }]', 'url must not hold a user or a password'],
  ['backends: [{ name: a, provider: cog, url: "file:///etc" }]', 'url must begin with http'],
  ['backends: [{ name: a, provider: replicate, url: "https://h/v1" }]', 'backends.0 (a): lacks apiKey'],
  [`backends: [{ ${record}, timeout: 5 }]`, 'backends.0.timeout: is not a known field'],
])('%s is refused', (text, reason) => {
  const read = () => readBackends(text, () => undefined);
  expect(read).toThrow(BackendsError);
  expect(read).toThrow(reason);
  expect(read).not.toThrow('sk-inline');
});

test.each([
  ['http://h/v1/x.png', { url: 'http://h/v1/x.png', anonymous: false }],
  ['/files/x.png', { url: 'http://h/files/x.png', anonymous: false }],
  ['https://a.files.example/x', { url: 'https://a.files.example/x', anonymous: true }],
  ['http://10.0.0.9:9000/x', { url: 'http://10.0.0.9:9000/x', anonymous: true }],
  ['http://a.files.example/x', null],
  ['https://files.example/x', null],
  ['https://evilfiles.example/x', null],
  ['https://user@a.files.example/x', null],
  ['http://10.0.0.9/x', null],
  ['http://h:81/x', null],
  ['https://h/x', null],
  ['file:///etc/passwd', null],
  ['//169.254.169.254/x', null],
])('a file at %s', (url, expected) => {
  const text = `backends: [{ ${record}, outputOrigins: ["https://*.files.example", "http://10.0.0.9:9000"] }]`;
  const backend = readBackends(text, () => undefined).all[0]!;
  if (expected === null) expect(() => checkOutputUrl(backend, url)).toThrow('is not allowed');
  else expect(checkOutputUrl(backend, url)).toEqual(expected);
});
