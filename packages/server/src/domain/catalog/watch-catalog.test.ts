import { cp, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Catalog } from './catalog.ts';
import { CatalogError } from './catalog-error.ts';
import { type CatalogHolder, createCatalogHolder } from './watch-catalog.ts';

const DAY_ONE = resolve(import.meta.dirname, '../../../../../catalog');
const SOON = { timeout: 5_000, interval: 20 };

let dir: string;
let holder: CatalogHolder;
let reloads: Catalog[];
let refusals: Error[];

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'catalog-'));
  await cp(DAY_ONE, dir, { recursive: true });
  reloads = [];
  refusals = [];
  holder = await createCatalogHolder({
    dir,
    onReload: (catalog) => reloads.push(catalog),
    onRefused: (error) => refusals.push(error),
  });
});
afterEach(async () => {
  holder.close();
  await rm(dir, { recursive: true });
});

const price = () => holder.current().models.get('canvas')?.entry.priceFromCoins;

/** As editors save: nobody reads half a file. */
async function edit(from: string, to: string): Promise<void> {
  const path = join(dir, 'models/canvas.yaml');
  const text = await readFile(path, 'utf8');
  expect(text).toContain(from);
  await writeFile(join(dir, 'models/.canvas.edit'), text.replace(from, to));
  await rename(join(dir, 'models/.canvas.edit'), path);
}

test('an edited file is loaded without a restart', async () => {
  const before = holder.current();
  expect(price()).toBe(7);
  await edit('perOutput: 7', 'perOutput: 9');
  await vi.waitFor(() => expect(price()).toBe(9), SOON);
  expect(reloads.map(({ version }) => version)).toEqual([holder.current().version]);
  expect(holder.current().version).not.toBe(before.version);
  expect(before.models.get('canvas')?.entry.priceFromCoins).toBe(7);
});

test('an invalid file is refused with line and reason, and the old catalog stays', async () => {
  const before = holder.current();
  await edit('perOutput: 7', 'perOutput: seven');
  await vi.waitFor(() => expect(refusals).toHaveLength(1), SOON);
  expect(refusals[0]).toBeInstanceOf(CatalogError);
  expect(refusals[0]?.message).toMatch(/^models\/canvas\.yaml:\d+: models\.0\.price\.perOutput: must be number$/);
  expect(holder.current()).toBe(before);
  expect(reloads).toEqual([]);
  await edit('perOutput: seven', 'perOutput: 8');
  await vi.waitFor(() => expect(price()).toBe(8), SOON);
});

test('a refused catalog is known as such until the files are valid again, also if they are as before', async () => {
  const { version } = holder.current();
  expect(holder.isRefused()).toBe(false);
  await edit('perOutput: 7', 'perOutput: seven');
  await holder.reload();
  expect([holder.isRefused(), holder.current().version]).toEqual([true, version]);
  await edit('perOutput: seven', 'perOutput: 7');
  await holder.reload();
  expect([holder.isRefused(), holder.current().version]).toEqual([false, version]);
});

test('a renamed file, a removed file and a replaced folder are detected', async () => {
  const path = join(dir, 'models/canvas.yaml');
  await writeFile(
    join(dir, 'models/.canvas.tmp'),
    (await readFile(path, 'utf8')).replace('perOutput: 7', 'perOutput: 11'),
  );
  await rename(join(dir, 'models/.canvas.tmp'), path);
  await vi.waitFor(() => expect(price()).toBe(11), SOON);

  await rm(join(dir, 'effects/video.yaml'));
  await vi.waitFor(() => expect(holder.current().effects.has('old-film')).toBe(false), SOON);

  // The new folder is watched as well.
  await cp(join(dir, 'models'), join(dir, 'models-next'), { recursive: true });
  await rm(join(dir, 'models-next/solid.yaml'));
  await rename(join(dir, 'models'), join(dir, 'models-old'));
  await rename(join(dir, 'models-next'), join(dir, 'models'));
  await vi.waitFor(() => expect(holder.current().models.has('solid')).toBe(false), SOON);
  await edit('perOutput: 11', 'perOutput: 12');
  await vi.waitFor(() => expect(price()).toBe(12), SOON);
});

test('reload reads immediately, reports nothing if nothing changed, and never rejects', async () => {
  await holder.reload();
  expect(reloads).toEqual([]);
  await edit('perOutput: 7', 'perOutput: 9');
  await Promise.all([holder.reload(), holder.reload()]);
  expect(price()).toBe(9);
  expect(reloads).toHaveLength(1);
  await edit('perOutput: 9', 'perOutput: [');
  await holder.reload();
  expect(refusals.length).toBeGreaterThan(0);
  expect(price()).toBe(9);
});

test('after close nothing is read', async () => {
  holder.close();
  await edit('perOutput: 7', 'perOutput: 9');
  await holder.reload();
  expect(price()).toBe(7);
});

test('invalid files at startup are an error', async () => {
  await edit('perOutput: 7', 'perOutput: seven');
  await expect(createCatalogHolder({ dir })).rejects.toBeInstanceOf(CatalogError);
});

test('a file edited during the first read is loaded', async () => {
  const opening = createCatalogHolder({ dir });
  await edit('perOutput: 7', 'perOutput: 9');
  const opened = await opening;
  await vi.waitFor(() => expect(opened.current().models.get('canvas')?.entry.priceFromCoins).toBe(9), SOON);
  opened.close();
});
