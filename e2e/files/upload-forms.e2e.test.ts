import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { makeAccount, type TestAccount } from '../harness/account.ts';
import { readMetric } from '../harness/read-metric.ts';
import { type Stack, startStack } from '../harness/start-stack.ts';
import { makeFile, makeFolder } from './make-file.ts';

const MB = 1024 * 1024;
let stack: Stack;
let account: TestAccount;
let png: Buffer;
let folder: Awaited<ReturnType<typeof makeFolder>>;

beforeAll(async () => {
  folder = await makeFolder();
  stack = await startStack({ services: inject('services'), workers: 0 });
  account = await makeAccount(stack);
  png = await readFile(await makeFile(folder.dir, 'png'));
});
afterAll(async () => {
  await stack.stop();
  await folder.remove();
});

interface Raw {
  readonly status: number | null;
  readonly body: { code?: string; type?: string } | null;
  /** When the response was complete, and when the connection was closed. */
  readonly answeredMs: number;
  readonly closedMs: number | null;
}

/** Sends a raw request: the head, then parts of the body, each after a pause. */
function sendRaw(options: {
  headers: Record<string, string>;
  pieces: Iterable<Buffer | string>;
  pauseMs?: number;
  waitForClose?: boolean;
}): Promise<Raw> {
  const { hostname, port } = new URL(stack.api().url);
  const startedMs = performance.now();
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    let answered: Omit<Raw, 'closedMs'> | null = null;
    let over = false;
    const finish = (closedMs: number | null) => {
      if (over) return;
      over = true;
      socket.destroy();
      resolve({ status: null, body: null, answeredMs: Number.NaN, ...answered, closedMs });
    };
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const blank = text.indexOf('\r\n\r\n');
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? Number.NaN);
      if (blank < 0 || text.length < blank + 4 + length) return;
      answered = {
        status: Number(text.slice(9, 12)),
        body: JSON.parse(text.slice(blank + 4)),
        answeredMs: performance.now() - startedMs,
      };
      if (options.waitForClose !== true) finish(null);
    });
    socket.on('error', () => {});
    socket.on('close', () => finish(performance.now() - startedMs));
    const lines = Object.entries({ Host: hostname, Authorization: `Bearer ${account.key}`, ...options.headers });
    socket.write(
      `POST /v1/uploads HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n`,
    );
    void (async () => {
      for (const piece of options.pieces) {
        if (over || socket.destroyed) return;
        if (!socket.write(piece)) await new Promise((done) => void socket.once('drain', done).once('close', done));
        if (options.pauseMs !== undefined) await new Promise((done) => setTimeout(done, options.pauseMs));
      }
    })();
  });
}

const BOUNDARY = 'xyzzy';
const part = (options: { name?: string; filename?: string; extra?: string; content: Buffer | string }) =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${options.name ?? 'file'}"` +
        `${options.filename === undefined ? '' : `; filename="${options.filename}"`}\r\n${options.extra ?? ''}\r\n`,
    ),
    Buffer.from(options.content),
    Buffer.from('\r\n'),
  ]);
const LAST = Buffer.from(`--${BOUNDARY}--\r\n`);

function sendForm(body: Buffer, headers: Record<string, string> = {}): Promise<Raw> {
  return sendRaw({
    headers: {
      'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
      'Content-Length': String(body.length),
      ...headers,
    },
    pieces: [body],
  });
}

const good = () => part({ filename: 'a.png', content: png });

describe('a form', () => {
  const accepted: Record<string, () => Buffer> = {
    'with one file': () => Buffer.concat([good(), LAST]),
    'with a field before the file': () => Buffer.concat([part({ name: 'note', content: 'x' }), good(), LAST]),
    'with a field after the file': () => Buffer.concat([good(), part({ name: 'note', content: 'x' }), LAST]),
    'with a path in the name': () => Buffer.concat([part({ filename: '../../etc/passwd', content: png }), LAST]),
    'with NUL and bidi marks in the name': () =>
      Buffer.concat([part({ filename: 'a\u0000\u202egnp.exe', content: png }), LAST]),
  };
  test.each(Object.entries(accepted))('%s is accepted', async (_name, form) => {
    const answer = await sendForm(form());
    expect(answer).toMatchObject({ status: 201, body: { kind: 'image', width: 640, height: 480 } });
  });

  const refused: Record<string, { form: () => Buffer; status: number; code: string }> = {
    'without a file': { form: () => LAST, status: 400, code: 'invalid_params' },
    'that is empty': { form: () => Buffer.alloc(0), status: 400, code: 'invalid_params' },
    'with the file in another field': {
      form: () => Buffer.concat([part({ name: 'upload', filename: 'a.png', content: png }), LAST]),
      status: 400,
      code: 'invalid_params',
    },
    'with two files': { form: () => Buffer.concat([good(), good(), LAST]), status: 400, code: 'invalid_params' },
    'without its last boundary': { form: good, status: 400, code: 'invalid_params' },
    'that ends inside the file': {
      form: () => good().subarray(0, 300),
      status: 400,
      code: 'invalid_params',
    },
    'that ends inside the headers of a part': {
      form: () => good().subarray(0, 40),
      status: 400,
      code: 'invalid_params',
    },
    'with 100000 parts before the file': {
      form: () => Buffer.concat([...Array(100_000).fill(part({ name: 'n', content: '' })), good(), LAST]),
      status: 400,
      code: 'invalid_params',
    },
    'with 100000 parts after the file': {
      form: () => Buffer.concat([good(), ...Array(100_000).fill(part({ name: 'n', content: '' })), LAST]),
      status: 400,
      code: 'invalid_params',
    },
    'with headers of 1 MB': {
      form: () =>
        Buffer.concat([part({ filename: 'a.png', extra: `X-A: ${'y'.repeat(MB)}\r\n`, content: 'not media' }), LAST]),
      status: 415,
      code: 'upload_invalid',
    },
    'whose name comes after headers of 1 MB': {
      form: () =>
        Buffer.concat([
          Buffer.from(
            `--${BOUNDARY}\r\nX-A: ${'y'.repeat(MB)}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`,
          ),
          png,
          Buffer.from('\r\n'),
          LAST,
        ]),
      status: 400,
      code: 'invalid_params',
    },
    'with a name of the prototype': {
      form: () => Buffer.concat([part({ name: '__proto__', filename: 'a.png', content: png }), LAST]),
      status: 400,
      code: 'invalid_params',
    },
    'with 0 bytes': {
      form: () => Buffer.concat([part({ filename: 'a.png', content: '' }), LAST]),
      status: 415,
      code: 'upload_invalid',
    },
    'with a picture of 21 MB': {
      form: () =>
        Buffer.concat([part({ filename: 'a.png', content: Buffer.concat([png, Buffer.alloc(21 * MB)]) }), LAST]),
      status: 413,
      code: 'upload_too_large',
    },
  };
  test.each(Object.entries(refused))('%s is rejected', async (_name, { form, status, code }) => {
    const answer = await sendForm(form());
    expect({ status: answer.status, code: answer.body?.code }).toEqual({ status, code });
  });

  const boundaries = {
    'of 0 characters': '',
    'of 70': 'b'.repeat(70),
    'of 71': 'b'.repeat(71),
    missing: null,
  } as const;
  test.each(Object.entries(boundaries))('with a boundary %s is handled', async (_name, boundary) => {
    const form = Buffer.concat([good(), LAST])
      .toString('latin1')
      .replaceAll(BOUNDARY, boundary ?? BOUNDARY);
    const answer = await sendForm(Buffer.from(form, 'latin1'), {
      'Content-Type': `multipart/form-data${boundary === null ? '' : `; boundary=${boundary}`}`,
    });
    expect(answer.status).toBe(boundary?.length === 70 ? 201 : 400);
  });
});

describe.concurrent('early responses', () => {
  test('a Content-Length above every limit is rejected before any byte of the body', async () => {
    const answer = await sendRaw({
      headers: {
        'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
        'Content-Length': String(201 * MB),
      },
      pieces: [],
      waitForClose: true,
    });
    expect(answer).toMatchObject({ status: 413, body: { code: 'upload_too_large' } });
    expect(answer.answeredMs).toBeLessThan(1_000);
    // The server closes the connection.
    expect(answer.closedMs).toBeLessThan(8_000);
  });

  test('an image with a Content-Length of 30 MB is refused after its first bytes', async () => {
    const answer = await sendRaw({
      headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, 'Content-Length': String(30 * MB) },
      pieces: [good().subarray(0, 8_000)],
    });
    expect(answer).toMatchObject({ status: 413, body: { code: 'upload_too_large' } });
    expect(answer.answeredMs).toBeLessThan(1_000);
  });

  test('an unsupported type is refused during the transfer, and the client gets the response', async () => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    function* pieces() {
      yield part({ filename: 'a.png', content: '' }).subarray(0, -2);
      for (let sent = 0; sent < 150 * MB; sent += chunk.length) yield chunk;
    }
    const answer = await sendRaw({
      headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, 'Content-Length': String(150 * MB) },
      pieces: pieces(),
    });
    expect(answer).toMatchObject({ status: 415, body: { code: 'upload_invalid' } });
  });

  test('a client without a key gets a response, and the rest of its body is not read for long', async () => {
    const answer = await sendRaw({
      headers: {
        Authorization: 'Bearer no',
        'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`,
        'Content-Length': String(100 * MB),
      },
      pieces: Array(100).fill('x'),
      pauseMs: 100,
      waitForClose: true,
    });
    expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_api_key' } });
    expect(answer.closedMs).toBeLessThan(8_000);
  });

  test.each([
    ['before the file', () => [] as Buffer[]],
    ['inside the file', () => [good().subarray(0, 8_000)]],
  ])('1 B/s %s is rejected and the connection closed', async (_name, start) => {
    function* pieces() {
      for (const piece of start()) yield piece;
      for (let n = 0; n < 60; n += 1) yield '-';
    }
    const answer = await sendRaw({
      headers: { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}`, 'Content-Length': String(10 * MB) },
      pieces: pieces(),
      pauseMs: 1_000,
      waitForClose: true,
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_params' } });
    expect(answer.closedMs).toBeLessThan(20_000);
    console.log(
      `drip answered after ${Math.round(answer.answeredMs)} ms, closed after ${Math.round(answer.closedMs ?? 0)} ms`,
    );
  });
});

test('there is no row without a file and no internal error in the log', async () => {
  const api = stack.api();
  expect(api.logs.join('')).not.toContain('request failed');
  expect(await readMetric(api, 'atelier_uploads_total')).toBeGreaterThan(5);
});
