import { app } from './en/app.ts';
import { auth, security } from './en/auth.ts';
import { authorize } from './en/authorize.ts';
import { events, generations } from './en/generations.ts';
import { keys, quickstart } from './en/keys.ts';
import { budgets, checkout, ledger, usage } from './en/money.ts';
import { names } from './en/names.ts';
import { pair } from './en/pair.ts';
import { members, settings } from './en/people.ts';
import { playground } from './en/playground.ts';
import { problems } from './en/problems.ts';
import { webhooks } from './en/webhooks.ts';

/** Every text of the console. Another language has the same shape. */
export const en = {
  ...app,
  auth,
  authorize,
  security,
  keys,
  quickstart,
  webhooks,
  events,
  generations,
  playground,
  ledger,
  usage,
  budgets,
  checkout,
  members,
  settings,
  problems,
  names,
  pair,
};
export type Text = typeof en;
