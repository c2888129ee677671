import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { documents, EXECUTED_BY } from './documents.ts';
import { groupTabs } from './group-tabs.ts';
import { buildSidebar } from './navigation.ts';
import { readPages, rewriteLinks } from './pages.ts';
import { readFences, whyNotRun } from './read-fences.ts';
import { renderLlmsFull, renderLlmsIndex } from './render-llms.ts';

/** `text` and no language are for output, files and diagrams. */
const LANGUAGES = ['', 'text', 'sh', 'bash', 'ts', 'python', 'json', 'yaml'];
const blocks = documents().flatMap(({ source, text }) => readFences(text).map((fence) => ({ source, ...fence })));
const pages = readPages();

/** Every block that no test executes, and why. Keep it short: a block that can run must run. */
const NOT_RUN = [
  'CONTRIBUTING.md: sets up a machine, and runs every check and test',
  'README.md: installs packages of the system, and starts a service that runs until Ctrl-C',
  'clients/python/README.md: installs a package',
  'docs/operate/README.md: other tests build the pages',
  'docs/operate/README.md: replaces the packages that run this test',
  'docs/operate/desk.md: builds pages, and starts a process that runs until Ctrl-C',
  'docs/operate/engines.md: downloads 0.9 GB',
  'docs/operate/engines.md: needs weights',
  'docs/operate/engines.md: removes a folder of the clone',
  'docs/operate/kubernetes.md: needs Docker',
  'docs/operate/kubernetes.md: needs a cluster',
  'docs/operate/kubernetes.md: needs a cluster',
  'docs/operate/kubernetes.md: needs a cluster',
  'docs/operate/kubernetes.md: needs a cluster',
  'docs/operate/safety.md: needs weights',
  'docs/quickstart.md: installs packages of the system, and starts a service that runs until Ctrl-C',
  'examples/notebook/README.md: installs packages, and opens a browser',
  'packages/cli/README.md: waits until a person confirms a code',
  'packages/sdk/README.md: four frameworks side by side',
];

describe('code blocks', () => {
  test('have a language that a test executes or reads', () => {
    expect(
      blocks.filter(({ language }) => !LANGUAGES.includes(language)).map(({ source, line }) => `${source}:${line}`),
    ).toEqual([]);
  });

  test.each(blocks.filter(({ language }) => language === 'json'))('$source:$line is JSON', ({ text }) => {
    expect(() => JSON.parse(text)).not.toThrow();
  });

  test.each(blocks.filter(({ language }) => language === 'yaml'))('$source:$line is YAML', ({ text }) => {
    expect(() => parse(text)).not.toThrow();
  });

  test('all are executed, except for these', () => {
    const notRun = blocks
      .filter((fence) => whyNotRun(fence) !== null)
      .map(({ source, ...fence }) => `${source}: ${whyNotRun(fence)}`);
    expect(notRun.toSorted()).toEqual(NOT_RUN);
  });

  test.each(Object.entries(EXECUTED_BY))('%s is executed by a test that exists', (page, testFile) => {
    expect(existsSync(page)).toBe(true);
    expect(existsSync(testFile)).toBe(true);
  });
});

describe('pages', () => {
  test('are in the navigation, once', () => {
    expect(() => buildSidebar(pages.map(({ id }) => id))).not.toThrow();
  });

  test('have a description', () => {
    // The changelog is a list.
    const described = pages.filter(({ id }) => id !== 'changelog');
    expect(described.filter(({ description }) => description.length < 20).map(({ source }) => source)).toEqual([]);
  });

  test('are all in llms.txt', () => {
    const index = renderLlmsIndex(pages);
    for (const { id } of pages) expect(index).toContain(`(/guide/${id === '' ? 'index' : id}.md)`);
    const all = renderLlmsFull(pages);
    for (const { title } of pages.filter(
      ({ id }) => /^[a-z-]+$/.test(id) && !['changelog', 'contribute', 'decisions', 'problems'].includes(id),
    )) {
      expect(all).toContain(`\n# ${title}\n`);
    }
  });
});

describe('rewriting', () => {
  test.each([
    ['[a](webhooks.md#verify)', '[a](/guide/webhooks/#verify)'],
    ['[a](operate/README.md)', '[a](/guide/operate/)'],
    ['[a](../packages/sdk/README.md)', '[a](/guide/clients/typescript/)'],
    ['[a](https://example.com/x.md)', '[a](https://example.com/x.md)'],
    ['[a](#here)', '[a](#here)'],
    ['[`nginx.conf`](operate/edge/nginx.conf)', '`nginx.conf`'],
    ['[the licence](../LICENSE)', 'the licence (`LICENSE`)'],
    ['![a](gallery/x.webp)', '![a](gallery/x.webp)'],
    ['```sh\n[a](webhooks.md)\n```', '```sh\n[a](webhooks.md)\n```'],
  ])('%j', (before, after) => expect(rewriteLinks(before, 'docs/quickstart.md')).toBe(after));

  test('blocks in several languages become tabs, one language alone does not', () => {
    const grouped = groupTabs('Text.\n\n```bash\ncurl\n```\n\n```ts\nawait\n```\n\nMore.\n\n```ts\nalone\n```\n');
    expect(grouped.match(/<code-tabs>/g)).toHaveLength(1);
    expect(grouped.match(/role="tab"/g)).toHaveLength(2);
    expect(grouped.split('</code-tabs>')[1]).toContain('alone');
    expect(groupTabs('```sh\na\n```\n\n```ts\nb\n```\n')).not.toContain('code-tabs');
  });
});
