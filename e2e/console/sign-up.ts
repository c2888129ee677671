import type { Page } from 'playwright-core';
import type { RunningConsole } from './start-console.ts';

export interface NewPerson {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** Signs up, confirms the address with the link of the mail, and signs in. */
export async function signUp(running: RunningConsole, page: Page, person: NewPerson): Promise<void> {
  await page.goto(`${running.url}/`);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByLabel('Name').fill(person.name);
  await page.getByLabel('Mail address').fill(person.email);
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Check your mail' }).waitFor();
  await page.goto(await running.readMailLink(person.email));
  await page.getByRole('heading', { name: 'Address confirmed' }).waitFor();
  await page.getByRole('link', { name: 'Continue' }).click();
  await signIn(page, person);
  await atPlayground(page);
}

/** The page after a sign-in: a form that is ready to start. */
export async function atPlayground(page: Page): Promise<void> {
  await page.getByRole('form', { name: 'Settings of Landscape painter' }).waitFor();
}

export async function signIn(page: Page, { email, password }: NewPerson): Promise<void> {
  await page.getByLabel('Mail address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

export async function signOut(page: Page, person: NewPerson): Promise<void> {
  await page.getByRole('button', { name: person.email }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
}
