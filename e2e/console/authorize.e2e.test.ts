import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { STATE, startDesktopAgent } from '../mcp/desktop-agent.ts';
import { signIn, signUp } from './sign-up.ts';
import { type RunningConsole, startConsole } from './start-console.ts';

const PERSON = { name: 'Amara Voss', email: 'amara@harbour.example', password: 'correct horse battery staple' };
const SLOW_MS = 60_000;

let running: RunningConsole;
/** An API that knows where the console is. */
let mcpUrl: string;
let page: Page;

beforeAll(async () => {
  running = await startConsole(inject('services'));
  mcpUrl = `${(await running.stack.start('api', { CONSOLE_URL: running.url })).url}/mcp`;
  const context = await running.browser.newContext({ locale: 'en-GB' });
  context.setDefaultTimeout(SLOW_MS);
  page = await context.newPage();
  await signUp(running, page, PERSON);
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
});

test('an agent that knows only the address gets a key that the person limits, and uses it', async () => {
  await using agent = await startDesktopAgent(mcpUrl, '2026-07-28');
  await page.goto(await agent.askForAccess());
  await page.getByRole('heading', { name: 'Give Desk agent access?' }).waitFor();
  for (const scope of ['generate', 'read', 'uploads', 'account']) {
    expect(await page.getByRole('checkbox', { name: new RegExp(`^${scope}`) }).isChecked()).toBe(true);
  }
  const account = page.getByRole('combobox', { name: 'Account' });
  const label = await account.locator('option', { hasText: 'Test' }).first().textContent();
  await account.selectOption({ label: label! });
  await page.getByRole('checkbox', { name: /^uploads/ }).uncheck();
  await page.getByLabel('Monthly cap').fill('10');
  await page.getByRole('button', { name: 'Allow access' }).click();
  const answer = await agent.answer;
  expect(answer.get('state')).toBe(STATE);
  expect(answer.get('iss')).toBe(running.url);
  await agent.client.finishAuth(answer);
  await agent.client.connect();

  const tools = await agent.client.listTools();
  expect(tools).toContain('generate');
  expect(tools).not.toContain('upload');
  const generate = (prompt: string) =>
    agent.client.call('generate', { modelId: 'canvas', params: { prompt }, maxCoins: 10 });
  expect((await generate('a boat')).isError).toBeUndefined();
  // The price is 7 coins, and 3 of the cap are left.
  expect((await generate('a car')).content[0].text).toContain('spend_cap_exceeded');
  await expect(agent.client.finishAuth(answer)).rejects.toThrow(/used before/);
});

test('a person who refuses sends the agent away without a code', async () => {
  await using agent = await startDesktopAgent(mcpUrl, '2026-07-28');
  await page.goto(await agent.askForAccess());
  await page.getByRole('button', { name: 'Refuse' }).click();
  const answer = await agent.answer;
  expect(answer.get('error')).toBe('access_denied');
  expect(answer.get('code')).toBeNull();
});

test('a person who is not signed in signs in first, for an agent with sessions', async () => {
  await using agent = await startDesktopAgent(mcpUrl, '2025-11-25');
  const context = await running.browser.newContext({ locale: 'en-GB' });
  const stranger = await context.newPage();
  stranger.setDefaultTimeout(SLOW_MS);
  await stranger.goto(await agent.askForAccess());
  await signIn(stranger, PERSON);
  await stranger.getByRole('button', { name: 'Allow access' }).click();
  const answer = await agent.answer;
  expect(answer.get('state')).toBe(STATE);
  await agent.client.finishAuth(answer);
  await agent.client.connect();
  expect((await agent.client.call('list_models')).structuredContent.models.length).toBeGreaterThan(0);
  await context.close();
});
