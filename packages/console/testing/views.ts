import type { ParamValues } from '@atelier/contract';
import type { Page } from 'playwright-core';
import { writeFragment } from '../src/pages/playground/share-link.ts';
import { BROKEN, EMPTY, INVITED, SIGNED_OUT, STALE } from './demo-answers.ts';
import { edited, endpoints, failed, generations, LIVE, solid, TEST, transcript } from './demo-data.ts';
import { OPEN_PURCHASE, PAID_PURCHASE } from './demo-money.ts';

export interface View {
  readonly name: string;
  readonly path: string;
  readonly cookie?: string;
  /** What to do before looking at it. */
  readonly act?: (page: Page) => Promise<void>;
}

const of = (path: string, account = LIVE): string => `/accounts/${account}${path}`;
const press = (name: string | RegExp) => (page: Page) => page.getByRole('button', { name }).first().click();

async function createKey(page: Page): Promise<void> {
  await press('Create key')(page);
  await page.getByLabel('Name').fill('Storefront thumbnails');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Storefront thumbnails is ready').waitFor();
}

async function confirmAgain(page: Page): Promise<void> {
  await press('Create key')(page);
  await page.getByLabel('Name').fill('Storefront thumbnails');
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Confirm that it is you').waitFor();
}

async function explain(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Signature debugger' }).click();
  await page.getByLabel('Received Service-Signature header').fill('t=1794768164,v1=5b0c1e6a74f1c2d8');
  await page.getByLabel('Received body').fill('{\n  "id": "0198a1c3-6127-7f3b-9c48-000000000400"\n}');
  await press('Check the signature')(page);
  await page.getByText('The body was changed').waitFor();
}

async function signUp(page: Page): Promise<void> {
  await page.getByLabel('Name').fill('Ines Okafor');
  await page.getByLabel('Mail address').fill('ines@northlight.example');
  await page.getByLabel('Password').fill('correct horse battery');
  await press('Create account')(page);
  await page.getByText('Check your mail').waitFor();
}

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Mail address').fill('ines@northlight.example');
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Enter the code').waitFor();
}

async function enableTotp(page: Page): Promise<void> {
  await press('Turn on')(page);
  await page.getByRole('dialog').getByLabel('Password').fill('correct horse battery');
  await page.getByRole('dialog').getByRole('button', { name: 'Turn on' }).click();
  await page.getByText('JBSW Y3DP').waitFor();
}

async function openPersonMenu(page: Page): Promise<void> {
  // On a phone the navigation opens first.
  const menu = page.getByRole('button', { name: 'Menu', exact: true });
  if (await menu.isVisible()) await menu.click();
  await press(/Ines Okafor/)(page);
}

/** The device that shows this code. */
export async function enterCode(page: Page): Promise<void> {
  await page.getByLabel('Code').fill('wdjb mjht');
  await press('Continue')(page);
  await page.getByText('WDJB-MJHT').waitFor();
}

async function approvePairing(page: Page): Promise<void> {
  await enterCode(page);
  await press('Approve')(page);
  await page.getByText('Return to your terminal').waitFor();
}

async function enterWrongCode(page: Page): Promise<void> {
  await page.getByLabel('Code').fill('wdjb mjht');
  await press('Continue')(page);
  await page.getByText('The code is wrong').waitFor();
}

async function acceptForOther(page: Page): Promise<void> {
  await press('Accept invitation')(page);
  await page.getByText('sent to another email address').waitFor();
}

const openMember = (action: string) => async (page: Page) => {
  await press('Actions for Tomás Rivera')(page);
  await page.getByRole('button', { name: action }).first().click();
  await page.getByRole('dialog').waitFor();
};

/** A form that was submitted without its fields. */
async function addNothing(page: Page): Promise<void> {
  await press('Add budget')(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Add budget' }).click();
  await page.getByText('Enter the name of a project.').waitFor();
}

const openBudget = (action: string) => async (page: Page) => {
  await press('Actions for spring-catalogue')(page);
  await page.getByRole('button', { name: action }).first().click();
  await page.getByRole('dialog').waitFor();
};

async function waitForChart(page: Page): Promise<void> {
  await page.getByRole('img', { name: /^Coins by day/ }).waitFor();
}

async function failToPay(page: Page): Promise<void> {
  await press('Buy coins')(page);
  await press('Continue to payment')(page);
  await page.getByText('Nothing was charged').first().waitFor();
}

async function showTable(page: Page): Promise<void> {
  await waitForChart(page);
  await page.getByText('Show as a table').click();
}

/** The playground with a filled form. */
const playground = (search: string, params: ParamValues = {}): string => {
  const fragment = writeFragment(params);
  return of(`/playground?${search}${fragment ? `#${fragment}` : ''}`);
};

async function openModels(page: Page): Promise<void> {
  // Beside the form there is room for the list; on a phone a button opens it.
  const picker = page.locator('.model-picker');
  if (await picker.isVisible()) await picker.click();
  await page.getByRole('searchbox').fill('paint');
}

async function paintMask(page: Page): Promise<void> {
  await press('Paint the mask')(page);
  const box = (await page.locator('.painter canvas').boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.3);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.7, { steps: 5 });
  await page.mouse.up();
}

async function startTooEarly(page: Page): Promise<void> {
  await press(/^Generate/)(page);
  await page.getByText('Fill in this field.').first().waitFor();
}

async function turnModel(page: Page): Promise<void> {
  await press('View in 3D')(page);
  await page.locator('.model-viewer:not([aria-busy]) canvas').waitFor();
  await page.keyboard.press('ArrowRight');
}

async function readText(page: Page): Promise<void> {
  await page.getByText('The ferry leaves at nine.').waitFor();
}

/** What an agent asks for when it knows only the address of the service. */
const ACCESS = {
  response_type: 'code',
  client_id: 'p1.demo',
  redirect_uri: 'http://127.0.0.1:33418/callback',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
  scope: 'generate read uploads account',
  state: 'demo',
};

async function readConsent(page: Page): Promise<void> {
  await page.getByText('Give Desk agent access?').waitFor();
}

const PICTURE = { image: 'rocket-jpg' };
const endpoint = of(`/webhooks/${endpoints[0]!.id}`);

/** Every view of the console, with its empty and error states. */
export const VIEWS: readonly View[] = [
  { name: 'sign-in', path: '/sign-in', cookie: SIGNED_OUT },
  { name: 'sign-in-code', path: '/sign-in', cookie: SIGNED_OUT, act: signIn },
  { name: 'sign-in-invited', path: '/sign-in?error=signup_disabled', cookie: INVITED },
  { name: 'sign-up', path: '/sign-up', cookie: SIGNED_OUT },
  { name: 'sign-up-invited', path: '/sign-up', cookie: INVITED },
  { name: 'sign-up-sent', path: '/sign-up', cookie: SIGNED_OUT, act: signUp },
  { name: 'verified', path: '/verified', cookie: SIGNED_OUT },
  { name: 'sign-up-invitation', path: '/sign-up?invitation=demo', cookie: SIGNED_OUT },
  { name: 'invitation', path: '/invitation?token=demo', cookie: SIGNED_OUT },
  { name: 'invitation-signed-in', path: '/sign-up?invitation=demo', act: acceptForOther },
  { name: 'forgot-password', path: '/forgot-password', cookie: SIGNED_OUT },
  { name: 'reset-password', path: '/reset-password?token=demo', cookie: SIGNED_OUT },
  { name: 'authorize', path: `/authorize?${new URLSearchParams(ACCESS)}`, act: readConsent },
  { name: 'authorize-invalid', path: '/authorize' },
  { name: 'pair', path: '/pair' },
  { name: 'pair-review', path: '/pair', act: enterCode },
  { name: 'pair-approved', path: '/pair', act: approvePairing },
  { name: 'pair-wrong', path: '/pair', cookie: BROKEN, act: enterWrongCode },
  { name: 'not-found', path: '/accounts/nothing/keys' },
  { name: 'keys', path: of('/keys') },
  { name: 'keys-new', path: of('/keys'), act: createKey },
  { name: 'keys-create', path: of('/keys'), act: press('Create key') },
  { name: 'keys-confirm', path: of('/keys'), cookie: STALE, act: confirmAgain },
  { name: 'keys-menu', path: of('/keys'), act: press('Actions for Production server') },
  { name: 'keys-empty', path: of('/keys', TEST) },
  { name: 'keys-error', path: of('/keys'), cookie: BROKEN },
  { name: 'quickstart', path: of('/quickstart') },
  { name: 'webhooks', path: of('/webhooks') },
  { name: 'webhooks-add', path: of('/webhooks'), act: press('Add endpoint') },
  { name: 'webhooks-empty', path: of('/webhooks'), cookie: EMPTY },
  { name: 'webhook', path: endpoint },
  { name: 'webhook-rotate', path: endpoint, act: press('Rotate secret') },
  { name: 'webhook-debugger', path: endpoint, act: explain },
  { name: 'webhook-empty', path: endpoint, cookie: EMPTY },
  { name: 'events', path: of('/events'), act: press('generation.failed') },
  { name: 'events-empty', path: of('/events'), cookie: EMPTY },
  { name: 'generations', path: of('/generations') },
  { name: 'generations-empty', path: of('/generations'), cookie: EMPTY },
  { name: 'generation', path: of(`/generations/${edited.id}`) },
  { name: 'generation-outputs', path: of(`/generations/${generations[4]!.id}`) },
  { name: 'generation-processing', path: of(`/generations/${generations[1]!.id}`) },
  { name: 'generation-failed', path: of(`/generations/${failed.id}`) },
  { name: 'usage', path: of('/usage'), act: waitForChart },
  { name: 'usage-table', path: of('/usage'), act: showTable },
  { name: 'usage-empty', path: of('/usage'), cookie: EMPTY },
  { name: 'budgets', path: of('/budgets') },
  { name: 'budgets-add', path: of('/budgets'), act: addNothing },
  { name: 'budgets-edit', path: of('/budgets'), act: openBudget('Edit coins and alerts') },
  { name: 'budgets-remove', path: of('/budgets'), act: openBudget('Delete budget…') },
  { name: 'budgets-empty', path: of('/budgets'), cookie: EMPTY },
  { name: 'budgets-error', path: of('/budgets'), cookie: BROKEN },
  { name: 'ledger', path: of('/ledger') },
  { name: 'buy-coins', path: of('/ledger'), act: press('Buy coins') },
  { name: 'buy-coins-error', path: of('/ledger'), act: failToPay },
  { name: 'purchase-open', path: of(`/checkouts/${OPEN_PURCHASE}`) },
  { name: 'purchase-paid', path: of(`/checkouts/${PAID_PURCHASE}`) },
  { name: 'purchase-expired', path: of(`/checkouts/${LIVE}`) },
  { name: 'ledger-empty', path: of('/ledger'), cookie: EMPTY },
  { name: 'ledger-error', path: of('/ledger'), cookie: BROKEN },
  { name: 'members', path: of('/members') },
  { name: 'members-invite', path: of('/members'), act: press('Invite') },
  { name: 'members-role', path: of('/members'), act: openMember('Change role') },
  { name: 'members-remove', path: of('/members'), act: openMember('Remove') },
  { name: 'members-empty', path: of('/members'), cookie: EMPTY },
  { name: 'settings', path: of('/settings') },
  { name: 'generation-3d', path: of(`/generations/${solid.id}`), act: turnModel },
  { name: 'generation-text', path: of(`/generations/${transcript.id}`), act: readText },
  {
    name: 'generation-subtitles',
    path: of(`/generations/${transcript.id}`),
    act: (page) => page.getByRole('tab', { name: 'Subtitles' }).click(),
  },
  { name: 'playground', path: of('/playground') },
  { name: 'playground-models', path: of('/playground'), act: openModels },
  {
    name: 'playground-code',
    path: playground('model=landscape-painter', { prompt: 'a quiet harbour at dawn', num_outputs: 4 }),
    act: (page) => page.getByRole('tab', { name: 'Code' }).click(),
  },
  { name: 'playground-effect', path: playground('effect=oil-painting', { images: ['rocket-jpg'] }) },
  { name: 'playground-voice', path: playground('model=kokoro-82m', { text: 'The ferry leaves at nine.' }) },
  { name: 'playground-expand', path: playground('model=migan-outpaint', PICTURE) },
  { name: 'playground-mask', path: playground('model=migan-erase', PICTURE), act: paintMask },
  { name: 'playground-incomplete', path: playground('model=migan-erase'), act: startTooEarly },
  { name: 'playground-empty', path: of('/playground'), cookie: EMPTY },
  { name: 'playground-error', path: of('/playground'), cookie: BROKEN },
  { name: 'security', path: of('/security') },
  { name: 'security-totp', path: of('/security'), act: enableTotp },
  { name: 'person-menu', path: of('/keys'), act: openPersonMenu },
];
