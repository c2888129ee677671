import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Generation, type Model, type ModelsResponse, type QuoteResponse, UI_CONTROLS } from '@atelier/contract';
import type { BrowserContext, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startValues, toParams } from '../../packages/console/src/pages/playground/form-state.ts';
import { writeFragment } from '../../packages/console/src/pages/playground/share-link.ts';
import { makeForm, type Uploads } from '../../packages/console/testing/random-form.ts';
import { sample, sized, TEST_SEED } from '../../test/size.ts';
import { until } from '../harness/client.ts';
import { createSeededRandom } from '../harness/seeded-random.ts';
import { signUp } from './sign-up.ts';
import { type RunningConsole, startConsole } from './start-console.ts';

const NOOR = { name: 'Noor Haddad', email: 'noor@northlight.example', password: 'correct horse battery staple' };
const FORMS = sized({ ci: 20, full: 200 });
const FORMS_IN_BROWSER = 12;
/** Each form waits for its price, so that several go on at once. */
const TABS = 3;
const SLOW_MS = 60_000;
const ALL_FORMS_MS = 1_200_000;
const INPUTS = join(import.meta.dirname, '../../gallery/inputs');

let running: RunningConsole;
let context: BrowserContext;
let page: Page;
let accountId: string;
const violations: string[] = [];

beforeAll(async () => {
  // A person who fills in a form each second is faster than the limits expect. What they start may wait.
  running = await startConsole(inject('services'), {
    ACCOUNT_TEST_COINS: '1000000',
    ACCOUNT_RATE_LIMIT: '100000',
    ACCOUNT_RUN_LIMIT: '1',
  });
  context = await running.browser.newContext({ locale: 'en-GB', viewport: { width: 1440, height: 900 } });
  context.setDefaultTimeout(SLOW_MS);
  context.on('console', (message) => {
    if (/Content Security Policy|TrustedHTML|TrustedScript/.test(message.text())) violations.push(message.text());
  });
  await context.route('**/v1/models', async (route) => {
    const answer = await route.fetch();
    const { models } = (await answer.json()) as ModelsResponse;
    await route.fulfill({ response: answer, json: { models: withTags(models) } });
  });
  page = await context.newPage();
  await signUp(running, page, NOOR);
  await page.getByRole('radio', { name: 'Test' }).check();
  await page.getByText('Test mode').waitFor();
  accountId = /accounts\/([^/]+)/.exec(page.url())![1]!;
});
afterAll(async () => {
  await context?.close();
  await running?.[Symbol.asyncDispose]();
});

const generateButton = (tab = page) => tab.getByRole('button', { name: /^Generate/ });

/** No model of the catalog has a field for tags: one gets it in the place of a text. */
function withTags(models: readonly Model[]): readonly Model[] {
  const at = models.findIndex(({ params }) => params.some(({ ui }) => ui.control === 'textarea'));
  return models.with(at, {
    ...models[at]!,
    params: models[at]!.params.map((each) =>
      each.ui.control === 'textarea' ? { ...each, required: true, ui: { ...each.ui, control: 'tags' } } : each,
    ),
  } as Model);
}

/** The price that the form shows, when it is that of the form. */
async function readPrice(tab = page): Promise<number> {
  const price = tab.locator('.quote:not([aria-busy]) output');
  await price.waitFor();
  return Number((await price.textContent())!.replaceAll(/[^\d]/g, ''));
}

/** Whether the first such picture is loaded. */
const hasPixels = (selector: string): Promise<boolean> =>
  page.evaluate<boolean>(`document.querySelector(${JSON.stringify(selector)})?.naturalWidth > 0`);

/** Starts the form and returns what the service made of it. */
async function start(tab = page): Promise<Generation> {
  const consent = tab.getByLabel('Everyone whose likeness or voice is used has agreed.');
  if (await consent.isVisible()) await consent.check();
  const answered = tab.waitForResponse(
    (response) => response.request().method() === 'POST' && response.url().endsWith('/v1/generations'),
  );
  await generateButton(tab).click();
  const answer: Response = await answered;
  expect(answer.status(), await answer.text()).toBe(201);
  return answer.json();
}

test('a newcomer makes a first picture without filling in anything', async () => {
  await page.getByRole('link', { name: 'Playground' }).click();
  await page.getByRole('heading', { level: 1 }).waitFor();
  const price = await readPrice();
  const made = await start();
  expect(made.coinsQuoted).toBe(price);
  const run = page.locator(`[data-run="${made.id}"]`);
  await run.getByText('Succeeded').waitFor();
  await until('the picture is shown', () => hasPixels(`[data-run="${made.id}"] .viewer img`));
  await run.getByText('charged').waitFor();
  // The cards have pictures: those of effects come from the console's own origin.
  await until('the thumbnails are shown', () => hasPixels('.effects img'));
  expect(violations).toEqual([]);
});

test('an upload, a painted mask and pulled handles become the request', async () => {
  await page.goto(`${running.url}/accounts/${accountId}/playground?model=migan-erase`);
  const picture = page.getByLabel('Picture', { exact: true });
  await picture.setInputFiles(join(INPUTS, 'rocket.jpg'));
  await page.getByText('640 × 427 px').first().waitFor();
  await page.getByRole('button', { name: 'Paint the mask' }).click();
  const canvas = (await page.locator('.painter canvas').boundingBox())!;
  await page.mouse.move(canvas.x + canvas.width * 0.4, canvas.y + canvas.height * 0.4);
  await page.mouse.down();
  await page.mouse.move(canvas.x + canvas.width * 0.6, canvas.y + canvas.height * 0.6, { steps: 6 });
  await page.mouse.up();
  await page.getByRole('button', { name: 'Use this mask' }).click();
  await page.getByText('image/png').waitFor();
  const price = await readPrice();
  const made = await start();
  expect(made.coinsQuoted).toBe(price);
  expect(Object.keys(made.params).toSorted()).toEqual(['image', 'mask']);

  await page.goto(
    `${running.url}/accounts/${accountId}/playground?model=migan-outpaint#${writeFragment({ image: String(made.params.image) })}`,
  );
  await page.locator('.expand image').waitFor();
  const handle = (await page.locator('.handle[data-side="top"]').boundingBox())!;
  await page.mouse.move(handle.x + handle.width / 2, handle.y + handle.height / 2);
  await page.mouse.down();
  await page.mouse.move(handle.x + handle.width / 2, handle.y - 200, { steps: 6 });
  await page.mouse.up();
  const expanded = await start();
  expect(expanded.params).toMatchObject({ expand_top: 25 });
  expect(violations).toEqual([]);
});

test('a refusal is shown at its field, and a copied link fills the form', async () => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: running.url });
  await page.goto(`${running.url}/accounts/${accountId}/playground?model=landscape-painter`);
  await page.getByLabel('Prompt').fill('');
  await generateButton().click();
  await page.getByText('Fill in this field.').waitFor();
  await page.getByLabel('Prompt').fill('a harbour in the rain');
  await page.getByRole('button', { name: 'Copy link to this form' }).click();
  await page.getByText('Link copied').waitFor();
  const link = await page.evaluate<string>('navigator.clipboard.readText()');
  await page.goto('about:blank');
  await page.goto(link);
  expect(await page.getByLabel('Prompt').inputValue()).toBe('a harbour in the rain');
});

async function uploadInputs(): Promise<Uploads> {
  const send = async (name: string, mimeType: string): Promise<string> => {
    const answer = await context.request.post(`${running.url}/api/accounts/${accountId}/v1/uploads`, {
      headers: { origin: running.url, 'x-atelier-console': '1' },
      multipart: { file: { name, mimeType, buffer: await readFile(join(INPUTS, name)) } },
    });
    expect(answer.status(), await answer.text()).toBe(201);
    return (await answer.json()).id;
  };
  const images = ['rocket.jpg', 'cat.jpg', 'coffee.jpg', 'portrait.jpg'];
  return {
    images: await Promise.all(images.map((name) => send(name, 'image/jpeg'))),
    video: await send('person.mp4', 'video/mp4'),
    audio: await send('speech-es.ogg', 'audio/ogg'),
  };
}

async function listModels(): Promise<readonly Model[]> {
  const answer = await context.request.get(`${running.url}/api/accounts/${accountId}/v1/models`);
  return withTags(((await answer.json()) as ModelsResponse).models);
}

/** A form per model, then again from the first. `isFull` fills in every field. */
async function makeForms(count: number, { isFull = false } = {}) {
  const [uploads, models] = await Promise.all([uploadInputs(), listModels()]);
  expect(models.length).toBeGreaterThan(70);
  const seeded = createSeededRandom(TEST_SEED);
  const random = isFull ? { ...seeded, chance: () => true } : seeded;
  return Array.from({ length: count }, (_, n) => {
    const model = models[n % models.length]!;
    return { model, params: makeForm(random, model, uploads) };
  });
}

test('the price on the form of a model is what it costs, with every control', {
  timeout: ALL_FORMS_MS,
}, async () => {
  const all = await makeForms((await listModels()).length, { isFull: true });
  const drawn = new Set(sample(all, { ci: FORMS_IN_BROWSER, of: 'forms' }));
  // Whatever was drawn, every control and kind is among the forms.
  const seen = new Set<string>();
  const forms = [...drawn, ...all].filter((form, n) => {
    const target = { model: form.model, effect: null };
    // A value that is the default is not sent.
    const sent = toParams(target, startValues(target, form.params));
    const filled = form.model.params.filter(({ name }) => sent[name] !== undefined);
    const traits = filled.flatMap(({ kind, ui }) => [kind, ui.control]);
    const isNew = n < drawn.size || (!drawn.has(form) && traits.some((trait) => !seen.has(trait)));
    for (const trait of isNew ? traits : []) seen.add(trait);
    return isNew;
  });
  const wrong: unknown[] = [];
  const controls = new Set<string>();
  const kinds = new Set<string>();
  const fillIn = async (tab: Page, { model, params }: (typeof forms)[number]) => {
    const fragment = writeFragment(params);
    if (fragment === null) throw new Error('The form is too long for a link');
    // Without a reload: the pages stay as a person would use them.
    const url = `/accounts/${accountId}/playground?model=${encodeURIComponent(model.id)}#${fragment}`;
    await tab.evaluate(`history.pushState({}, '', '${url}'); dispatchEvent(new PopStateEvent('popstate'))`);
    await tab.getByRole('form', { name: `Settings of ${model.displayName}`, exact: true }).waitFor();
    const price = await readPrice(tab);
    const made = await start(tab);
    if (made.coinsQuoted !== price || made.modelId !== model.id) {
      wrong.push({ model: model.id, params, price, coinsQuoted: made.coinsQuoted });
    }
    for (const { name, kind, ui } of model.params) {
      if (made.params[name] === undefined) continue;
      controls.add(ui.control);
      kinds.add(kind);
    }
  };
  const waiting = forms.values();
  const work = async () => {
    const tab = await context.newPage();
    await tab.goto(page.url());
    for (const form of waiting) await fillIn(tab, form);
    await tab.close();
  };
  await Promise.all(Array.from({ length: TABS }, work));
  expect(wrong).toEqual([]);
  // Each was rendered by the browser, and its value is in a request.
  expect([...controls].toSorted()).toEqual(UI_CONTROLS.toSorted());
  expect([...kinds].toSorted()).toEqual(['enum', 'media', 'media_list', 'range', 'seed', 'text']);
  console.info(`${forms.length} forms in the browser, ${controls.size} controls: every price is coinsQuoted`);
  expect(violations).toEqual([]);
  await running.stack.assertBooks();
});

test('the price of random forms over all models is what they cost', { timeout: ALL_FORMS_MS }, async () => {
  const forms = await makeForms(FORMS);
  const send = async (path: string, body: unknown) => {
    const answer = await context.request.post(`${running.url}/api/accounts/${accountId}/v1/${path}`, {
      headers: { origin: running.url, 'x-atelier-console': '1', 'idempotency-key': randomUUID() },
      data: body,
    });
    expect(answer.ok(), await answer.text()).toBe(true);
    return answer.json();
  };
  const wrong: unknown[] = [];
  for (const { model, params } of forms) {
    // What the form asks and sends, without the browser around it.
    const target = { model, effect: null };
    const body = { modelId: model.id, params: toParams(target, startValues(target, params)) };
    const { coins } = (await send('quotes', { ...body, draft: true })) as QuoteResponse;
    const made = (await send('generations', { ...body, maxCoins: coins, consent: true })) as Generation;
    if (made.coinsQuoted !== coins) wrong.push({ ...body, coins, coinsQuoted: made.coinsQuoted });
  }
  expect(wrong).toEqual([]);
  console.info(`${forms.length} random forms: every price is coinsQuoted`);
});
