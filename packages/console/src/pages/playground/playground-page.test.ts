import type { ParamValues } from '@atelier/contract';
import { QueryClientProvider } from '@tanstack/react-query';
import { createMemoryHistory, RouterProvider } from '@tanstack/react-router';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answerDemo } from '../../../testing/demo-answers.ts';
import { LIVE } from '../../../testing/demo-data.ts';
import { createQueryClient } from '../../app/create-query-client.ts';
import { createConsoleRouter } from '../../app/router.tsx';
import { assetQuery, generationsQuery, modelsQuery } from '../generations/generation-queries.ts';
import { effectsQuery } from './playground-queries.ts';
import { writeFragment } from './share-link.ts';

beforeAll(() => {
  vi.stubGlobal('localStorage', { getItem: () => null, setItem: () => undefined });
  vi.stubGlobal('fetch', async (path: string, init: { method?: string }) => {
    const { status, body } = answerDemo(init.method ?? 'GET', new URL(path, 'http://localhost'), '');
    return new Response(JSON.stringify(body), { status });
  });
});
afterAll(() => {
  vi.unstubAllGlobals();
});

/** The page as it is after its data has arrived. */
async function render(search: string, params: ParamValues): Promise<string> {
  const queries = createQueryClient(() => undefined);
  await Promise.all([
    queries.ensureQueryData(modelsQuery(LIVE)),
    queries.ensureQueryData(effectsQuery(LIVE)),
    queries.ensureQueryData(assetQuery(LIVE, 'rocket-jpg')),
    ...['landscape-painter', 'painter'].map((modelId) =>
      queries.ensureInfiniteQueryData(generationsQuery(LIVE, { modelId })),
    ),
  ]);
  const router = createConsoleRouter(queries);
  const fragment = writeFragment(params);
  const address = `/accounts/${LIVE}/playground${search}${fragment ? `#${fragment}` : ''}`;
  const history = createMemoryHistory({ initialEntries: [address] });
  router.update({ ...router.options, history });
  await router.load();
  const page = createElement(QueryClientProvider, { client: queries }, createElement(RouterProvider, { router }));
  return renderToString(page);
}

test('without a choice the form of the first picture is ready to start, beside earlier results', async () => {
  const markup = await render('', {});
  expect(markup).toMatch(/<h1>Landscape painter/);
  expect(markup).toContain('mountains and a lake at sunset');
  expect(markup).toContain('/files/landscape-1.webp');
});

test('a link fills the form, also with an upload', async () => {
  const erase = await render('?model=migan-erase', { image: 'rocket-jpg' });
  expect(erase).toMatch(/<h1>MI-GAN eraser/);
  expect(erase).toContain('640 × 427 px');
  const expand = await render('?model=migan-outpaint', { image: 'rocket-jpg', expand_top: 7 });
  expect(expand).toMatch(/aria-label="Expand to the top"[^>]*value="7"/);
});

test('an effect has its name and its picture', async () => {
  const markup = await render('?effect=oil-painting', {});
  expect(markup).toMatch(/<h1>Oil painting/);
  expect(markup).toContain('src="/effects/oil-painting.webp"');
});

test('a script in a link is text', async () => {
  const hostile = '</textarea><script>alert(1)</script>';
  const markup = await render(`?model=${encodeURIComponent(hostile)}`, { prompt: hostile });
  expect(markup).not.toContain('<script>alert');
  expect(markup).toContain('is not available here');
});
