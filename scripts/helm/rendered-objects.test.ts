import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { findObjectProblems } from './object-rules.ts';
import { findRendered, makeHeading, readObjects } from './rendered-objects.ts';

const HELM = resolve(import.meta.dirname, '../../deploy/helm');
const EXAMPLES = ['minimal', 'cluster', 'restricted'];

test.each(EXAMPLES)('the rendered objects of %s are those of this chart', async (example) => {
  const [heading] = (await readFile(findRendered(example), 'utf8')).split('\n', 1);
  expect(heading, 'run scripts/helm-check --write').toBe(await makeHeading(example));
});

test.each(EXAMPLES)('the rendered objects of %s are confined, probed and closed', async (example) => {
  const objects = readObjects(await readFile(findRendered(example), 'utf8'));
  expect(findObjectProblems(objects)).toEqual([]);
  const names = objects.filter(({ kind }) => kind === 'Deployment').map(({ metadata }) => metadata.name);
  const roles = names.map((name) => name.split('-').at(-1));
  expect(roles).toEqual(expect.arrayContaining(['api', 'cdn', 'console', 'worker']));
});

test('the heading changes with a template, a default and an example', async () => {
  const copy = await mkdtemp(join(tmpdir(), 'atelier-helm-'));
  try {
    await cp(HELM, copy, { recursive: true, dereference: true });
    const before = await makeHeading('minimal', copy);
    expect(before).toBe(await makeHeading('minimal'));
    for (const file of ['atelier/templates/services.yaml', 'atelier/values.yaml', 'examples/minimal.yaml']) {
      const text = await readFile(join(copy, file), 'utf8');
      await writeFile(join(copy, file), `${text}\n`);
      expect(await makeHeading('minimal', copy), file).not.toBe(before);
      await writeFile(join(copy, file), text);
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
});
