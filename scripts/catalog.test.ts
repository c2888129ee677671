import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SCRIPT = resolve(import.meta.dirname, 'catalog.ts');

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  return { status, stdout, stderr };
}

test('check reports valid files, or the errors with their lines', async () => {
  expect(run('check')).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/^ok: \d+ models, \d+ effects, pricebook [0-9a-f]{16}\n$/),
  });
  const dir = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    await mkdir(join(dir, 'models'));
    await writeFile(join(dir, 'models/a.yaml'), 'listing: a\nvendor: b\nmodel: []\n');
    const errors = ['models/a.yaml:1: the file: lacks models', 'models/a.yaml:3: model: is not a known field'];
    expect(run('check', '--dir', dir)).toMatchObject({ status: 1, stdout: `${errors.join('\n')}\n` });
    expect(JSON.parse(run('check', '--dir', dir, '--json').stdout)).toMatchObject({
      ok: false,
      faults: [{ line: 1 }, { line: 3 }],
    });
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('check validates routes by the schema of their provider and lists all errors with the allowed values', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'catalog-'));
  try {
    await cp(resolve(import.meta.dirname, '../catalog'), dir, { recursive: true });
    const file = join(dir, 'models/voice.yaml');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('text: input', 'txt: input').replace('model: tts-1', 'operation: sing'));
    const { status, stdout } = run('check', '--dir', dir);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^models\/voice\.yaml:\d+: models\.0\.routes\.0\.operation: must be one of images, /m);
    expect(stdout).toMatch(
      /routes\.0\.map\.txt: txt is not a param of the model; it has text, voice, language, speed$/m,
    );
    await writeFile(file, text);
    await writeFile(join(dir, 'backends.yaml'), 'backends: []\n');
    const named = run('check', '--dir', dir, '--backends', join(dir, 'backends.yaml'));
    expect(named.stdout).toContain('there is no backend speech with provider openai; the file has none');
  } finally {
    await rm(dir, { recursive: true });
  }
});

test('price prints the line items, or why the request is invalid', () => {
  const priced = run('price', 'clip-upscale', '--media', 'video=1280x720,6s', '--json');
  expect(JSON.parse(priced.stdout)).toMatchObject({
    coins: 29,
    outputs: 1,
    lines: [{ coins: 5 }, { label: 'Length: 6 seconds', coins: 24 }],
  });
  const refused = run('price', 'canvas', '--params', '{"num_outputs":5}');
  expect(refused).toMatchObject({ status: 1, stdout: expect.stringContaining('params.num_outputs must be at most 4') });
});

test('show lists all models and effects, or one of them', () => {
  expect(run('show').stdout).toMatch(/^canvas +image\.generate +7 /m);
  expect(JSON.parse(run('show', 'old-film', '--json').stdout)).toMatchObject({
    entry: { id: 'old-film' },
    surchargeCoins: 1,
  });
});

test('wrong usage ends with status 2, help with 0', () => {
  expect(run('price', 'unknown')).toMatchObject({ status: 2, stderr: 'catalog: no such model: unknown\n' });
  expect(run('check', '--wrong').status).toBe(2);
  expect(run().status).toBe(2);
  expect(run('--help')).toMatchObject({ status: 0, stderr: '' });
});
