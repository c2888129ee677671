import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pullWeights, verifyWeights } from './pull-weights.ts';
import { hasWeightSet, type WeightSet } from './weight-set.ts';

const CUT_AFTER_BYTES = 100_000;
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

let dir: string;
let server: Server;
let tarball: Buffer;
let set: WeightSet;
let asked: Array<string | undefined>;
/** How many responses are truncated. */
let cuts: number;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'atelier-weights-'));
  const parts = [randomBytes(150_000), randomBytes(150_000)] as const;
  mkdirSync(join(dir, 'package/models'), { recursive: true });
  writeFileSync(join(dir, 'package/models/a.0'), parts[0]);
  writeFileSync(join(dir, 'package/models/a.1'), parts[1]);
  writeFileSync(join(dir, 'package/install.js'), 'never to be taken out');
  execFileSync('tar', ['-czf', join(dir, 'p.tgz'), '-C', dir, 'package']);
  tarball = readFileSync(join(dir, 'p.tgz'));
  const whole = Buffer.concat(parts);
  set = {
    id: 'a',
    title: 'A',
    package: 'carrier',
    version: '1.0.0',
    integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    tarballBytes: tarball.length,
    licence: 'MIT',
    provenance: 'made here',
    files: [{ name: 'sub/a.onnx', from: ['models/a.0', 'models/a.1'], bytes: whole.length, sha256: sha256(whole) }],
  };
  asked = [];
  cuts = 0;
  server = createServer((request, response) => {
    const { range } = request.headers;
    asked.push(range);
    const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0);
    const rest = tarball.subarray(from);
    response.writeHead(range === undefined ? 200 : 206, { 'content-length': rest.length });
    if (cuts-- <= 0) {
      response.end(rest);
      return;
    }
    response.write(rest.subarray(0, CUT_AFTER_BYTES));
    // A lost connection may discard bytes that the client has not stored yet, so some must be stored first.
    const isStored = vi.waitUntil(() => storedBytes() > from, { timeout: 20_000 });
    void isStored.then(() => response.socket?.end());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
});

afterEach(async () => {
  server.close();
  await rm(dir, { recursive: true, force: true });
});

const pull = (onProgress = (_told: { doneBytes: number }) => {}) =>
  pullWeights({
    weightsDir: join(dir, 'weights'),
    set,
    onProgress,
    addressOf: async (spec) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${spec}`,
  });
const weightsDir = () => join(dir, 'weights');

function storedBytes(): number {
  const partial = join(weightsDir(), '.partial');
  if (!existsSync(partial)) return 0;
  return readdirSync(partial).reduce((sum, name) => sum + statSync(join(partial, name)).size, 0);
}

test('a set is downloaded, assembled from its parts and verified, and nothing else is kept', async () => {
  const told: number[] = [];
  expect(hasWeightSet({ weightsDir: weightsDir(), set })).toBe(false);
  expect(await pull(({ doneBytes }) => told.push(doneBytes))).toBe('pulled');
  expect(told.at(-1)).toBe(tarball.length);
  expect(hasWeightSet({ weightsDir: weightsDir(), set })).toBe(true);
  expect(sha256(readFileSync(join(weightsDir(), 'a/sub/a.onnx')))).toBe(set.files[0]!.sha256);
  expect(readdirSync(join(weightsDir(), 'a'))).toEqual(['sub']);
  expect(readdirSync(join(weightsDir(), '.partial'))).toEqual([]);
  expect(await pull()).toBe('present');
  expect(asked).toEqual([undefined]);
});

test('an interrupted download is resumed', async () => {
  cuts = 2;
  expect(await pull()).toBe('pulled');
  expect(asked[0]).toBeUndefined();
  expect(asked.slice(1).every((range) => /^bytes=[1-9]\d*-$/.test(range ?? ''))).toBe(true);
  expect(asked).toHaveLength(3);
});

test('another package under the same name is refused and deleted', async () => {
  set = { ...set, integrity: `sha512-${'A'.repeat(86)}==` };
  await expect(pull()).rejects.toThrow('sha512 differs');
  expect(readdirSync(join(weightsDir(), '.partial'))).toEqual([]);
  expect(hasWeightSet({ weightsDir: weightsDir(), set })).toBe(false);
});

test('a file with a different hash is refused', async () => {
  set = { ...set, files: [{ ...set.files[0]!, sha256: '0'.repeat(64) }] };
  await expect(pull()).rejects.toThrow('sha256 differs');
  expect(hasWeightSet({ weightsDir: weightsDir(), set })).toBe(false);
});

test('a package larger than declared is refused', async () => {
  set = { ...set, tarballBytes: 1_000 };
  await expect(pull()).rejects.toThrow('larger than the catalog says');
});

test('an altered and a missing file are detected', async () => {
  await pull();
  expect(await verifyWeights({ weightsDir: weightsDir(), set })).toEqual([]);
  const path = join(weightsDir(), 'a/sub/a.onnx');
  const bytes = readFileSync(path);
  bytes[5] = (bytes[5] ?? 0) ^ 1;
  writeFileSync(path, bytes);
  expect(await verifyWeights({ weightsDir: weightsDir(), set })).toEqual(['sub/a.onnx: altered']);
  await rm(path);
  expect(await verifyWeights({ weightsDir: weightsDir(), set })).toEqual(['sub/a.onnx: missing']);
});
